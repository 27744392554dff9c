import { Type } from 'typebox';
import { Exit } from '../../onboarding/failures.ts';
import { outcome, stage } from './onboarding.ts';
import { Cursor, strictObject, words } from './shared-schema.ts';

/** As in docs/dns-findings.md, or another provider's. */
const FINDING_CODE = '^[a-z0-9_]{1,64}$';

/** The query of the list; `needs_attention`, `stuck` and `limit` are converted from text. */
export const OnboardingListQuery = strictObject({
  stage: Type.Optional(stage),
  outcome: Type.Optional(outcome),
  exit: Type.Optional(words(Object.values(Exit))),
  finding: Type.Optional(
    Type.String({ pattern: FINDING_CODE, description: 'The code of a finding of the last check of any record.' }),
  ),
  needs_attention: Type.Optional(Type.Boolean({ description: 'Whether the DNS has a definite mistake.' })),
  stuck: Type.Optional(Type.Boolean({ description: 'Whether its Workflow Task fails again and again.' })),
  waiting_longer_than: Type.Optional(
    Type.String({ description: 'Running, and in its stage for longer than this duration, such as 24h or 3d.' }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      description:
        'The beginning of the tenant ID, of the domain, or of the domain without its first label; upper and lower case are the same.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 50.' })),
  cursor: Cursor,
});
