// The data of the register's events: in /events, and in the notifications to the backend.
// One schema per type: the `webhooks` of the OpenAPI document, the types of `sendoff/client` and the examples in docs/notifications.md
// follow from it, and the tests of Workflows validate every event.
import { type TProperties, type TSchema, Type } from 'typebox';
import { Outcome } from '../../agents-md/reasons.ts';
import type { OutcomeChange } from '../../agents-md/outcome-change.ts';
import { describeWebhooks } from '../../lib/http/describe-webhooks.ts';
import { failureTypes } from '../../onboarding/failures.ts';
import { type OnboardingEventType, isNotified } from '../../onboarding/onboarding-events.ts';
import { auditedRequests } from '../audit.ts';
import { LastConclusive, Result as CheckResult } from './agents-md.ts';
import { DnsRecord, exit, Findings, Remains, Result, stage, Undo } from './onboarding.ts';
import { described, nullable, NullableTime, sharedSchema, Time, words } from './shared-schema.ts';

const ofDomain = (description: string, properties: TProperties = {}) =>
  described(description, { domain: Type.String(), ...properties });

const ToPublish = Type.Pick(DnsRecord, ['purpose', 'type', 'name', 'host', 'zone', 'value', 'required']);
const Checked = Type.Pick(DnsRecord, ['purpose', 'type', 'name', 'required', 'status', 'findings']);
const Unpublished = Type.Object({ ...ToPublish.properties, ...Checked.properties });
const undoing = Type.Boolean({
  description: 'Whether the undo has yet to end: `onboarding.undo_ended` or `onboarding.terminated` follows.',
});
const report = { undo: Undo, remains: Remains };

/** The `data` of each type. Types and fields are only added: a receiver may have an earlier version of the client. */
export const eventData = {
  'onboarding.started': ofDomain('The onboarding was recorded.', { fromAddress: Type.String() }),
  'onboarding.stage_changed': ofDomain('The onboarding entered a stage.', { stage }),
  'onboarding.domain_registered': ofDomain('The DNS records to publish are known, and the window has begun.', {
    domainId: Type.String(),
    deadline: Time,
    records: Type.Array(ToPublish),
  }),
  'onboarding.records_checked': ofDomain('A check found another status or other findings of a DNS record.', {
    checkedAt: NullableTime,
    records: Type.Array(Checked),
  }),
  'onboarding.needs_attention': {
    description: 'A person should act.',
    ...Type.Union([
      ofDomain('The DNS has a definite mistake.', {
        reason: Type.Literal('dns'),
        deadline: NullableTime,
        findings: Findings,
      }),
      ofDomain('The window closes within a day.', {
        reason: Type.Literal('deadline'),
        deadline: Time,
        records: Type.Array(Unpublished),
      }),
    ]),
  },
  'onboarding.extended': ofDomain('The verification window closes at another time.', { deadline: NullableTime }),
  'onboarding.requested': described('A caller of the HTTP API, or the setup page, asked for a change.', {
    request: words(auditedRequests),
    by: nullable(Type.String({ description: 'As the caller said.' })),
    apiTokenName: Type.String({ description: 'Empty for the setup page.' }),
    hours: Type.Optional(Type.Number()),
    reason: Type.Optional(Type.String()),
    purpose: Type.Optional(Type.String({ description: 'Of the record that was muted or no longer is.' })),
  }),
  'onboarding.verified': ofDomain('The domain was verified.'),
  'onboarding.onboarded': ofDomain('The first email was delivered.', { result: Result }),
  'onboarding.failed': ofDomain('The onboarding failed.', {
    ...{ type: words(failureTypes), exit, stage, message: Type.String() },
    ...{ undoing, ...report },
  }),
  'onboarding.cancelled': ofDomain('The onboarding was cancelled.', { undoing, ...report }),
  'onboarding.undo_ended': ofDomain('The undo of a failed or cancelled onboarding has ended.', report),
  'onboarding.terminated': ofDomain('The execution was terminated in Temporal, or was deleted there.', report),
  'api_key.claimed': described("The tenant's API token was handed out.", {
    keyId: Type.String(),
    by: Type.String(),
    apiTokenName: Type.String(),
  }),
  'domain.drifted': ofDomain('A verified domain no longer has a required record.', { findings: Findings }),
  'domain.recovered': ofDomain('A domain that had drifted is right again.', { reason: words(['published', 'muted']) }),
} as const satisfies Record<OnboardingEventType, TSchema & { readonly description: string }>;

const types = Object.keys(eventData) as OnboardingEventType[];

const nameOf = (type: string): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Data`;

const EventSchema = {
  $id: 'Event',
  description: 'A change of an onboarding or of its domain. A later version may have more types.',
  ...Type.Union(
    types.map((type) =>
      Type.Object({
        eventId: Type.String({ description: 'The `webhook-id`, if the backend is notified of it.' }),
        tenantId: Type.String(),
        attemptId: Type.String({ description: 'Of the onboarding: the same until the tenant is onboarded again.' }),
        type: Type.Literal(type),
        at: Time,
        data: Type.Unsafe({ $ref: `${nameOf(type)}#` }),
      }),
    ),
  ),
};

const OutcomeChangeSchema = sharedSchema<OutcomeChange>()(
  'AgentsMdChangedData',
  "The outcome of a producer's AGENTS.md check changed.",
  Type.Object({
    producerId: Type.String(),
    from: LastConclusive,
    to: Type.Object({ ...CheckResult.properties, outcome: words(Object.values(Outcome)) }),
  }),
);

export const eventSchemas = [
  ...types.map((type) => ({ $id: nameOf(type), ...eventData[type] })),
  EventSchema,
  OutcomeChangeSchema.schema,
];

const ofTenant = Type.Object({ tenantId: Type.String() });

const refTo = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` });

/** The body that is posted to SENDOFF_NOTIFICATION_URL, and to AGENTS_MD_WEBHOOK_URL. */
export const webhooks = describeWebhooks({
  ...Object.fromEntries(
    types
      .filter(isNotified)
      .map((type) => [
        type,
        { summary: eventData[type].description, data: Type.Intersect([ofTenant, refTo(nameOf(type))]) },
      ]),
  ),
  'agents_md.changed': {
    summary: "The outcome of a producer's AGENTS.md check changed.",
    data: refTo('AgentsMdChangedData'),
  },
});
