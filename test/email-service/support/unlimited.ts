import type { SendingLimits } from '../../../src/email-service/resources/sending-limits.ts';

/** For what tests do not want to be limited. */
export const UNLIMITED: SendingLimits = { minute: 100_000, hour: 100_000, day: 100_000 };
