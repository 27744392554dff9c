import { findSetupGaps, type TemporalServices } from './find-setup-gaps.ts';
import type { SearchAttribute } from './search-attribute.ts';
import { describeGaps, SETUP_COMMAND, type SetupGap } from './setup-gap.ts';

/** The call takes milliseconds; a start must not hang on a server that has stopped answering. */
const CALL_TIMEOUT_MS = 10_000;

export class NotSetUpError extends Error {
  override readonly name = 'NotSetUpError';
  readonly gaps: readonly SetupGap[];

  /** @param notes lines beside those of the gaps */
  constructor(gaps: readonly SetupGap[], notes: readonly string[] = []) {
    super([describeGaps(gaps), ...notes, `Set up Temporal, with the same settings: ${SETUP_COMMAND}`].join('\n'));
    this.gaps = gaps;
  }
}

/** Throws NotSetUpError with what is missing and the command that creates it. */
export async function requireSetup(
  services: TemporalServices,
  namespace: string,
  searchAttributes: readonly SearchAttribute[],
): Promise<void> {
  const gaps = await services.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
    findSetupGaps(services, namespace, searchAttributes),
  );
  if (gaps.length > 0) throw new NotSetUpError(gaps);
}
