import { Type } from 'typebox';
import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import { Exit, failureTypes, type OnboardingFailure } from '../../onboarding/failures.ts';
import { UndoScope } from '../../onboarding/input.ts';
import { onboardingOutcomes } from '../../onboarding/onboarding-record.ts';
import { Stage } from '../../onboarding/stage.ts';
import { type CreatedIds, stepRows } from '../../onboarding/steps.ts';
import { DomainWatch } from './domain-watch.ts';
import {
  described,
  finding,
  nullable,
  NullableString,
  NullableTime,
  pageOf,
  PendingActivities,
  sharedSchema,
  strictObject,
  Time,
  UiUrl,
  words,
} from './shared-schema.ts';

export const OnboardingRequest = strictObject({
  domain: Type.String({
    description: 'The sending domain, as A-labels (RFC 5890); upper case and a final dot are accepted.',
  }),
  fromAddress: Type.String({
    description: 'An address on `domain`, alone or after a display name (RFC 5322): `Acme <hello@acme.com>`.',
  }),
  fromName: Type.Optional(
    Type.String({ description: 'The display name, unless `fromAddress` has it: 1 to 200 characters.' }),
  ),
  firstEmail: strictObject({
    recipient: Type.String({ description: 'One address.' }),
    subject: Type.String({ description: 'One line of 1 to 998 characters.' }),
    body: Type.String({ description: 'Plain text, 1 to 1,000,000 bytes in UTF-8.' }),
  }),
  verificationWindow: Type.Optional(
    Type.String({
      description:
        'How long the tenant may take to publish the DNS records: 1 second to 30 days, as `3d` or `72 hours`. Default 72 hours.',
    }),
  ),
  undo: Type.Optional(
    Type.Unsafe<UndoScope>({
      type: 'string',
      enum: Object.keys(UndoScope),
      description: 'What a failure or cancellation undoes. Default byExit.',
    }),
  ),
});

export const TenantParams = Type.Object({ tenantId: Type.String({ description: '1 to 128 of A-Z a-z 0-9 . _ -' }) });

export const DnsRecord = Type.Object({
  purpose: Type.String(),
  type: Type.String({
    description: '`TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it.',
  }),
  name: Type.String({ description: 'Absolute, without a final dot.' }),
  host: Type.String({ description: 'As entered at a DNS provider: relative to `zone`.' }),
  zone: Type.Optional(NullableString),
  nameServers: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), answered: Type.Boolean() }), {
      description: 'Of the zone, and whether each answered in the last check that knew the zone.',
    }),
  ),
  value: Type.String(),
  required: Type.Boolean(),
  status: words(['unchecked', 'missing', 'wrong', 'found', 'inconclusive']),
  found: Type.Array(Type.String()),
  findings: Type.Array(Type.Object(finding)),
});

const step = words(stepRows.map((row) => row.step));
export const exit = nullable(words(Object.values(Exit)));
export const stage = words(Object.values(Stage));
export const outcome = words(onboardingOutcomes);

export const Undo = Type.Array(
  Type.Object({
    step,
    resourceId: NullableString,
    result: words(['undone', 'kept', 'failed']),
    reason: Type.String(),
    givenUp: Type.Optional(Type.Boolean({ description: 'Kept only because the provider does not delete it.' })),
  }),
);
export const Remains = Type.Array(Type.Object({ step, resourceId: NullableString }), {
  description:
    'What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created.',
});

const { keyId, ...otherIds } = Object.fromEntries(stepRows.map(({ id }) => [id, NullableString])) as Record<
  keyof CreatedIds,
  typeof NullableString
>;

const Onboarding = Type.Object({
  tenantId: Type.String(),
  domain: Type.String(),
  fromAddress: Type.String({ description: 'Without its display name.' }),
  fromName: Type.Optional(Type.String({ description: 'The display name that was asked for; absent without one.' })),
  recipient: Type.String(),
  withoutSteps: Type.Optional(
    Type.Array(step, {
      description: 'Steps that a release added after this onboarding began, and that it goes without; absent if none.',
    }),
  ),
  stage,
  stages: Type.Array(Type.Object({ stage, at: Time })),
  keyId,
  ownKeyId: Type.Optional(
    Type.String({
      description: "sendoff's own API key, beside the one that the backend claims; absent if one serves both.",
    }),
  ),
  ...otherIds,
  records: Type.Array(DnsRecord),
  verificationDeadline: NullableTime,
  timesNotVerified: Type.Integer(),
  wakeUps: Type.Integer({ description: 'Wake-ups received, without repetitions; known when it has ended.' }),
  badEnd: nullable(Type.Object({ type: words([...failureTypes, 'Cancelled']), exit, message: Type.String() })),
  undo: Undo,
});

export const Result = Type.Object({
  keyId: NullableString,
  tokenRef: NullableString,
  domainId: Type.String(),
  senderId: Type.String(),
  emailId: Type.String(),
  deliveredAt: NullableTime,
  verifiedAfterMs: Type.Integer(),
  polls: Type.Integer(),
});

const Failure = Type.Unsafe<OnboardingFailure>(
  Type.Object({
    type: words(failureTypes),
    message: Type.String(),
    details: Type.Object(
      { stage, exit, undo: Undo },
      { additionalProperties: true, description: 'What the failure type adds: see docs/http-api.md.' },
    ),
  }),
);

const { code: findingCode, name: findingName, ...remedy } = finding;
export const Findings = Type.Array(
  Type.Object({
    ...{ code: findingCode, name: findingName, purpose: Type.String({ description: 'Of the record.' }) },
    ...remedy,
  }),
);

export const OnboardingViewSchema = sharedSchema<OnboardingView>()(
  'OnboardingView',
  "A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers.",
  Type.Object({
    tenantId: Type.String(),
    workflowId: Type.String(),
    runId: Type.String(),
    domain: Type.String(),
    outcome,
    stage,
    stageSince: Time,
    startedAt: Time,
    endedAt: NullableTime,
    deadline: NullableTime,
    exit,
    needsAttention: nullable(
      described("The definite mistakes in the tenant's DNS.", { findings: Findings, since: Time }),
    ),
    stuck: nullable(
      Type.Object(
        { since: Time, message: Type.String() },
        {
          description:
            'Nothing proceeds, because its Workflow Task fails again and again: a defect of the release that runs.',
        },
      ),
    ),
    checkedAt: NullableTime,
    nextCheckAt: NullableTime,
    waitingFor: PendingActivities,
    onboarding: Onboarding,
    result: nullable(Result),
    failure: nullable(Failure),
    remains: Remains,
    apiKey: Type.Object({
      keyId: NullableString,
      state: words(['none', 'held', 'claimed', 'revoked', 'forgotten']),
      claimedAt: NullableTime,
      claimedBy: NullableString,
    }),
    firstEmailRelease: nullable(
      described('Who let a first email whose outcome is unknown be sent once more by the next onboarding.', {
        by: Type.String(),
        reason: Type.String(),
        at: Time,
      }),
    ),
    uiUrl: UiUrl,
    updatedAt: Time,
    ageSeconds: Type.Integer({ description: 'Since `updatedAt`.' }),
    domainWatch: nullable(DomainWatch),
    temporal: described('Whether Temporal, and the Workers of onboardings, answered at `checkedAt`.', {
      reachable: Type.Boolean(),
      workers: words(['polling', 'none', 'unknown']),
      checkedAt: Time,
    }),
  }),
);

export const OnboardingPageSchema = pageOf(OnboardingViewSchema.ref, 'A page of onboardings, the latest start first.');
