import { Type } from 'typebox';
import type { OnboardingView } from '../../client/onboardings.ts';
import { exitOf, type FailureType, type OnboardingFailure, UndoableStep } from '../../onboarding/failures.ts';
import { UndoScope } from '../../onboarding/input.ts';
import { Stage } from '../../onboarding/stage.ts';
import {
  nullable,
  NullableInteger,
  NullableString,
  NullableTime,
  PendingActivities,
  sharedSchema,
  Time,
  UiUrl,
  words,
} from './shared-schema.ts';

export const OnboardingRequest = Type.Object(
  {
    domain: Type.String({ description: 'The sending domain, as A-labels (RFC 5890); upper case is accepted.' }),
    fromAddress: Type.String({ description: 'An address on `domain`.' }),
    firstEmail: Type.Object(
      {
        recipient: Type.String({ description: 'One address.' }),
        subject: Type.String({ description: 'One line of 1 to 998 characters.' }),
        body: Type.String({ description: 'Plain text, 1 to 1,000,000 bytes in UTF-8.' }),
      },
      { additionalProperties: false },
    ),
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
  },
  { additionalProperties: false },
);

export const TenantParams = Type.Object({ tenantId: Type.String({ description: '1 to 128 of A-Z a-z 0-9 . _ -' }) });

const DnsRecord = Type.Object({
  purpose: Type.String(),
  type: Type.String(),
  name: Type.String({ description: 'Absolute, without a final dot.' }),
  host: Type.String({ description: 'As entered at a DNS provider: relative to `zone`.' }),
  zone: Type.Optional(NullableString),
  value: Type.String(),
  required: Type.Boolean(),
  status: words(['missing', 'wrong', 'found', 'inconclusive']),
  found: Type.Array(Type.String()),
  findings: Type.Array(
    Type.Object({
      code: Type.String({ description: 'See docs/dns-findings.md.' }),
      name: Type.String({ description: 'Where it was seen.' }),
      fix: Type.String({ description: 'What the tenant does.' }),
      publish: Type.Optional(Type.Object({ type: Type.String(), host: Type.String(), value: Type.String() })),
    }),
  ),
});

const step = words(Object.values(UndoableStep));
const exit = nullable(words(['F1', 'F2', 'F3']));
const stage = words(Object.values(Stage));
const failureTypes = Object.keys(exitOf) as FailureType[];

const Onboarding = Type.Object({
  tenantId: Type.String(),
  domain: Type.String(),
  fromAddress: Type.String(),
  recipient: Type.String(),
  stage,
  stages: Type.Array(Type.Object({ stage, at: Time })),
  keyId: NullableString,
  webhookId: NullableString,
  domainId: NullableString,
  senderId: NullableString,
  emailId: NullableString,
  records: Type.Array(DnsRecord),
  verificationDeadline: NullableTime,
  timesNotVerified: Type.Integer(),
  pokes: Type.Integer({ description: 'Notifications received: webhooks and `checkNow`.' }),
  badEnd: nullable(Type.Object({ type: words([...failureTypes, 'Cancelled']), exit, message: Type.String() })),
  undo: Type.Array(
    Type.Object({
      step,
      resourceId: NullableString,
      result: words(['undone', 'kept', 'failed']),
      reason: Type.String(),
    }),
  ),
});

const Result = Type.Object({
  keyId: Type.String(),
  tokenRef: Type.String(),
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
      { stage, exit, undo: Onboarding.properties.undo },
      { additionalProperties: true, description: 'What the failure type adds: see docs/http-api.md.' },
    ),
  }),
);

export const OnboardingViewSchema = sharedSchema<OnboardingView>()(
  'OnboardingView',
  'An onboarding: its outcome, its state, what it waits for.',
  Type.Object({
    tenantId: Type.String(),
    workflowId: Type.String(),
    runId: Type.String(),
    outcome: words(['running', 'onboarded', 'failed', 'cancelled', 'terminated']),
    onboarding: nullable(Onboarding),
    waitingFor: PendingActivities,
    historyEvents: NullableInteger,
    result: nullable(Result),
    failure: nullable(Failure),
    remains: nullable(Type.Array(Type.Object({ step, resourceId: NullableString }))),
    uiUrl: UiUrl,
  }),
);
