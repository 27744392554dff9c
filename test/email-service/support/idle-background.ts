import type { Background } from '../../../src/email-service/background/background-port.ts';

/** A background that does nothing. */
export const idleBackground: Background = {
  makesFirstAttempts: false,
  begin: () => undefined,
  firstAttemptEnded: () => undefined,
  requestDomainCheck: async () => undefined,
  readiness: async () => [],
  isLost: () => false,
};
