// What the routes that change an onboarding take, and answer.
import { Type } from 'typebox';
import { EXTENSION_HOURS_MIN } from '../../onboarding/extension-fault.ts';
import { VERIFICATION_WINDOW_HOURS_MAX } from '../../onboarding/input.ts';
import { OPEN_AFTER_END } from '../../store/onboarding/setup-links.ts';
import { DnsRecord, OnboardingRequest } from './onboarding.ts';
import { Time, words } from './shared-schema.ts';

const By = Type.String({ minLength: 1, maxLength: 100, description: 'Who asks; kept in the audit events.' });

/** May be left out. */
export const AuditRequest = Type.Unsafe<{ by?: string } | null | undefined>({
  type: ['object', 'null'],
  properties: { by: By },
  additionalProperties: false,
});

export const RestartRequest = Type.Object(
  { ...OnboardingRequest.properties, by: Type.Optional(By) },
  { additionalProperties: false },
);

export const ExtendRequest = Type.Object(
  {
    hours: Type.Number({
      minimum: EXTENSION_HOURS_MIN,
      maximum: VERIFICATION_WINDOW_HOURS_MAX,
      description: 'Added to the deadline. The window lasts at most 30 days from its beginning, extensions included.',
    }),
    by: By,
    reason: Type.String({ minLength: 1, maxLength: 1_000 }),
  },
  { additionalProperties: false },
);

export const ReleaseEmailRequest = Type.Object(
  {
    by: By,
    reason: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'What you saw at the provider; kept in the audit events.',
    }),
  },
  { additionalProperties: false },
);

export const ReleasedEmail = Type.Object(
  { tenantId: Type.String(), provider: Type.String(), recipient: Type.String(), since: Time },
  { description: 'The email that may be sent once more, and when the provider may have accepted it.' },
);

export const Extended = Type.Object(
  { tenantId: Type.String(), deadline: Time },
  { description: 'When the verification window closes now.' },
);

export const CheckBegun = Type.Object(
  {
    tenantId: Type.String(),
    check: words(['begun']),
    checkedAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'The last check with a result. Once `checkedAt` of the onboarding is another, its `records` are those of this check.',
    }),
    detail: Type.String({ description: 'What to do next, in a sentence.' }),
  },
  { description: 'A check is under way. It is tried for two minutes; the onboarding then shows its result.' },
);

export const DomainReportSchema = Type.Object(
  {
    verified: Type.Boolean({ description: 'As the provider reports; this alone decides.' }),
    published: Type.Boolean({ description: 'Whether every required record is published correctly.' }),
    conclusive: Type.Boolean({
      description:
        'False if a required record could not be checked: no name server answered, or the provider alone checks its type.',
    }),
    records: Type.Array(DnsRecord),
    lastObservedAt: Time,
  },
  { description: 'The result of one check, at the provider and at the name servers.' },
);

export const SetupLinkSchema = Type.Object(
  {
    tenantId: Type.String(),
    url: Type.String({ description: 'A credential: everyone who has it sees the page.' }),
    expires_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: `${OPEN_AFTER_END} after the end of the onboarding; while it runs, ${OPEN_AFTER_END} after its deadline, with which it moves. Null until there is a deadline.`,
    }),
  },
  { description: 'The link. It is shown only here.' },
);

export const RevokedSetupLinks = Type.Object(
  { tenantId: Type.String(), revoked: Type.Integer({ description: 'How many links opened the page until now.' }) },
  { description: 'No link of the tenant opens its page any more.' },
);

export const ClaimRequest = Type.Object({ by: By }, { additionalProperties: false });

export const ClaimedKey = Type.Object(
  {
    tenantId: Type.String(),
    keyId: Type.String(),
    token: Type.String({ description: "The tenant's API token at the provider. Store it: sendoff forgets it." }),
    claimedAt: Time,
    claimedBy: Type.String(),
  },
  { description: 'The token, once.' },
);
