import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { HostName } from '../../agents-md/code-host.ts';
import { LABEL, LABEL_RULE, LABELS_MAX, NAMED_PRODUCERS_MAX } from '../../agents-md/producer.ts';
import { Outcome, reasons } from '../../agents-md/reasons.ts';
import type { ConclusiveResult, ImportChanges } from '../../store/agents-md/producers.ts';
import type { ProducerView } from '../../client/agents-md/producer-views.ts';
import { type ReportFormat, reportFormats } from '../routes/agents-md/report.ts';
import { host, place, reasonCode } from './agents-md.ts';
import {
  Cursor,
  described,
  nullable,
  NullableString,
  NullableTime,
  pageOf,
  sharedSchema,
  strictObject,
  Time,
  words,
} from './shared-schema.ts';

const outcome = words(Object.values(Outcome));

export const ProducerRequest = strictObject({
  ...place,
  every: Type.Optional(Type.String({ description: 'A duration from 1h to 365d. Default `7d`.' })),
  paused: Type.Optional(Type.Boolean()),
  labels: Type.Optional(Type.Array(Type.String(), { maxItems: LABELS_MAX, description: `Each ${LABEL_RULE}.` })),
});

export const ProducerChange = strictObject({ paused: Type.Boolean() });

const producer = {
  producerId: Type.String(),
  organization: NullableString,
  primaryRepository: NullableString,
  host,
  every: Type.String(),
  paused: Type.Boolean(),
  labels: Type.Array(Type.String()),
  latest: nullable(
    Type.Object({
      outcome,
      reasonCode,
      message: Type.String(),
      checkedAt: Time,
      outcomeSince: Time,
    }),
  ),
  lastAttempt: nullable(Type.Object({ at: Time, reasonCode })),
  nextCheckAt: NullableTime,
};

export const ProducerViewSchema = sharedSchema<ProducerView>()(
  'ProducerView',
  'A producer of the catalogue, with its latest conclusive result.',
  Type.Object(producer),
);

export const ProducerWithResultsSchema = Type.Unsafe<ProducerView & { results: readonly ConclusiveResult[] }>(
  described('The producer, and its last 50 conclusive results, the latest first.', {
    ...producer,
    results: Type.Array(Type.Object({ outcome, reasonCode, checkedAt: Time })),
  }),
);

const outcomeCounts = Type.Object({
  ...{ pass: Type.Integer(), partial: Type.Integer(), fail: Type.Integer(), unchecked: Type.Integer() },
});
const countsBy = (keys: readonly string[]) =>
  Type.Object(Object.fromEntries(keys.map((key) => [key, Type.Optional(Type.Integer())])));

/** Written as text, row by row. */
export const ProducersReportSchema = Type.Unsafe<Readable>(
  Type.Object({
    at: Time,
    counts: described('Of all producers, whatever the filter.', {
      total: Type.Integer(),
      outcomes: outcomeCounts,
      reasons: countsBy(Object.keys(reasons)),
      labels: Type.Array(Type.Object({ label: Type.String(), outcomes: outcomeCounts })),
      hosts: countsBy(Object.values(HostName)),
      days: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), outcomes: outcomeCounts })),
    }),
    pace: described("What a check of all of them takes at most, at the hosts' limits.", {
      requestsMax: Type.Integer(),
      hoursMax: Type.Number(),
    }),
    producers: Type.Array(
      Type.Object({ ...producer, fix: Type.String({ description: 'What to do; empty if nothing.' }) }),
    ),
  }),
);

export const ProducerPageSchema = pageOf(ProducerViewSchema.ref, 'A page of producers.');

const label = Type.String({ pattern: LABEL.source });
const filter = {
  outcome: Type.Optional(words([...Object.values(Outcome), 'unchecked'])),
  reason: Type.Optional(reasonCode),
  label: Type.Optional(label),
  changed_since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Whose outcome has changed since then.' }),
  ),
};

export const ProducersQuery = strictObject({
  ...filter,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Default 50.' })),
  cursor: Cursor,
});

export const ReportQuery = strictObject({
  ...filter,
  format: Type.Optional(words(Object.keys(reportFormats) as ReportFormat[])),
});

export const ImportQuery = strictObject({
  dry_run: Type.Optional(Type.Boolean({ description: 'Shows the changes and makes none.' })),
  remove_missing: Type.Optional(
    Type.Boolean({ description: 'Removes the producers that the list does not name; an empty list is refused.' }),
  ),
});

const change = Type.Object({
  count: Type.Integer(),
  producers: Type.Array(Type.String(), { description: 'The first hundred.' }),
});
export const ImportChangesSchema = Type.Unsafe<ImportChanges>(
  described('What it changed.', { added: change, changed: change, removed: change, unchanged: change }),
);

export const CheckRequest = strictObject({
  producerIds: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }), { minItems: 1, maxItems: NAMED_PRODUCERS_MAX }),
  ),
  label: Type.Optional(label),
  all: Type.Optional(Type.Literal(true)),
});

export const ProgressQuery = strictObject({ asked_at: Type.String({ format: 'date-time' }) });

export const CheckProgressSchema = described('How many are answered, and how.', {
  askedAt: Time,
  total: Type.Integer(),
  answered: Type.Integer(),
  outcomes: Type.Object({
    ...{ pass: Type.Integer(), partial: Type.Integer(), fail: Type.Integer(), inconclusive: Type.Integer() },
  }),
});
