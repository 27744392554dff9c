// What the routes that change an onboarding take, and answer.
import { Type } from 'typebox';
import { BY_LENGTH_MAX, EXTENSION_HOURS_MIN } from '../../onboarding/extension-fault.ts';
import { VERIFICATION_WINDOW_HOURS_MAX } from '../../onboarding/input.ts';
import { OPEN_AFTER_END } from '../../store/onboarding/setup-link-expiry.ts';
import { DnsRecord, OnboardingRequest, TenantParams } from './onboarding.ts';
import { described, strictObject, Time, words } from './shared-schema.ts';

const By = Type.String({
  minLength: 1,
  maxLength: BY_LENGTH_MAX,
  description: 'Who asks; kept in the audit events.',
});

/** May be left out. */
export const AuditRequest = Type.Unsafe<{ by?: string } | null | undefined>({
  type: ['object', 'null'],
  properties: { by: By },
  additionalProperties: false,
});

/** Of a request without a body. */
export const AuditQuery = strictObject({ by: Type.Optional(By) });

export const RestartRequest = strictObject({ ...OnboardingRequest.properties, by: Type.Optional(By) });

export const ExtendRequest = strictObject({
  hours: Type.Number({
    minimum: EXTENSION_HOURS_MIN,
    maximum: VERIFICATION_WINDOW_HOURS_MAX,
    description: 'Added to the deadline. The window lasts at most 30 days from its beginning, extensions included.',
  }),
  by: By,
  reason: Type.String({ minLength: 1, maxLength: 1_000 }),
});

export const MutedRecordParams = Type.Object({
  ...TenantParams.properties,
  purpose: Type.String({ description: 'The purpose of a required record, such as `dkim` or `spf`.' }),
});

export const MuteRequest = strictObject({
  reason: Type.String({ minLength: 1, maxLength: 1_000, description: 'Why its defects do not count.' }),
  by: By,
});

export const ReleaseEmailRequest = strictObject({
  by: By,
  reason: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'What you saw at the provider; kept in the audit events.',
  }),
});

export const ReleasedEmail = described(
  'The email that may be sent once more, and when the provider may have accepted it.',
  { tenantId: Type.String(), provider: Type.String(), recipient: Type.String(), since: Time },
);

export const Extended = described('When the verification window closes now.', {
  tenantId: Type.String(),
  deadline: Time,
});

export const CheckBegun = described(
  'A check is under way. It is tried for two minutes; the onboarding then shows its result.',
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
);

export const DomainReportSchema = described('The result of one check, at the provider and at the name servers.', {
  verified: Type.Boolean({ description: 'As the provider reports; this alone decides.' }),
  published: Type.Boolean({ description: 'Whether every required record is published correctly.' }),
  conclusive: Type.Boolean({
    description:
      'False if a required record could not be checked: no name server answered, or the provider alone checks its type.',
  }),
  records: Type.Array(DnsRecord),
  lastObservedAt: Time,
});

export const SetupLinkSchema = described('The link. It is shown only here.', {
  tenantId: Type.String(),
  url: Type.String({ description: 'A credential: everyone who has it sees the page.' }),
  expires_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: `${OPEN_AFTER_END} after the end of the onboarding; while it runs, ${OPEN_AFTER_END} after its deadline, with which it moves. Null until there is a deadline.`,
  }),
});

export const RevokedSetupLinks = described('No link of the tenant opens its page any more.', {
  tenantId: Type.String(),
  revoked: Type.Integer({ description: 'How many links opened the page until now.' }),
});

export const ClaimRequest = strictObject({ by: By });

export const ClaimedKey = described('The token, once.', {
  tenantId: Type.String(),
  keyId: Type.String(),
  token: Type.String({ description: "The tenant's API token at the provider. Store it: sendoff forgets it." }),
  claimedAt: Time,
  claimedBy: Type.String(),
});
