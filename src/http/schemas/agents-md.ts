import { Type } from 'typebox';
import { BATCH_PRODUCERS_MAX } from '../../agents-md/batch.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';
import { FileEncoding } from '../../agents-md/decode-file.ts';
import { ContentClass } from '../../agents-md/file-measurement.ts';
import { FoundIn, NoAnswer } from '../../agents-md/observation.ts';
import { Outcome, type ReasonCode, reasons } from '../../agents-md/reasons.ts';
import { SelectedBy } from '../../agents-md/select-repository.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import type { SchedulePage, ScheduleView } from '../../client/agents-md/check-schedules.ts';
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

const host = words(Object.values(HostName));
const outcome = nullable(words(Object.values(Outcome)));
const reasonCode = words(Object.keys(reasons) as ReasonCode[]);
const foundIn = nullable(words(Object.values(FoundIn)));
const strict = { additionalProperties: false };

const checked = {
  organization: Type.Optional(Type.String({ description: 'The name of the public organization, not a URL.' })),
  primaryRepository: Type.Optional(
    Type.String({
      description: "Its name; if left out, the host's list of repositories decides. Needs `organization`.",
    }),
  ),
  host: Type.Optional(host),
};
const producerId = Type.String({ description: '1 to 128 of A-Z a-z 0-9 . _ -' });

export const ProducerParams = Type.Object({ producerId });
export const BatchParams = Type.Object({ batchId: Type.String({ description: '1 to 64 of A-Z a-z 0-9 . _ -' }) });

export const CheckInputSchema = sharedSchema<CheckInput>()(
  'CheckInput',
  'The producer to check.',
  Type.Object({ producerId, ...checked }, strict),
);

export const ScheduleRequest = Type.Object(
  { every: Type.String({ description: 'A duration from 1h to 365d, such as `7d`.' }), ...checked },
  strict,
);

export const BatchRequest = Type.Object(
  { producers: Type.Array(CheckInputSchema.ref, { minItems: 1, maxItems: BATCH_PRODUCERS_MAX }) },
  strict,
);

/** As many as the Temporal UI shows on a line or two. */
const NOTE_CHARACTERS_MAX = 400;

/** The body may be left out. */
export const NoteRequest = Type.Unsafe<{ note?: string } | null | undefined>({
  type: ['object', 'null'],
  properties: {
    note: {
      type: 'string',
      minLength: 1,
      maxLength: NOTE_CHARACTERS_MAX,
      description: 'Why; shown with the Schedule.',
    },
  },
  additionalProperties: false,
});

export const PreferHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({ description: '`wait=30`: answer when the check has ended, within at most 60 seconds (RFC 7240).' }),
  ),
});

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20.' })),
    cursor: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_-]{1,4000}$', description: 'The `nextCursor` of the previous page.' }),
    ),
  },
  strict,
);

export const AfterQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 999_999,
        description: 'How many entries the caller already has. Default 0.',
      }),
    ),
  },
  strict,
);

export const LastConclusive = Type.Object({
  outcome: words(Object.values(Outcome)),
  reasonCode,
  foundIn,
  repository: NullableString,
  sha256: NullableString,
  checkedAt: Time,
  unchangedSince: Time,
});

export const Result = Type.Object({
  checkId: Type.Literal('agents-md'),
  ruleVersion: Type.Integer(),
  status: words(['conclusive', 'inconclusive']),
  outcome,
  reasonCode,
  message: Type.String(),
  remediation: Type.Object({ summary: Type.String(), steps: Type.Array(Type.String()) }),
  subject: Type.Object({
    producerId: Type.String(),
    host,
    organization: NullableString,
    primaryRepository: NullableString,
    selectedBy: nullable(words(Object.values(SelectedBy))),
  }),
  foundIn,
  measurement: nullable(
    Type.Object({
      codePoints: Type.Integer(),
      visibleCodePoints: Type.Integer(),
      bytes: Type.Integer(),
      threshold: Type.Integer(),
      contentClass: words(Object.values(ContentClass)),
      encoding: words(Object.values(FileEncoding)),
      truncated: Type.Boolean(),
      headings: Type.Integer(),
      viaSymlink: NullableString,
    }),
  ),
  evidence: nullable(
    Type.Object({
      url: Type.String(),
      finalUrl: Type.String(),
      httpStatus: NullableInteger,
      etag: NullableString,
      sha256: NullableString,
      excerpt: NullableString,
    }),
  ),
  attempts: Type.Array(
    Type.Object({
      url: Type.String(),
      httpStatus: NullableInteger,
      answer: words(['text', 'absent', 'resolved', 'none', 'undetermined', ...Object.values(NoAnswer)]),
      redirects: Type.Array(Type.String()),
      detail: NullableString,
      observedAt: Time,
    }),
  ),
  nearMisses: Type.Array(Type.String()),
  checkedAt: Time,
  unchangedSince: NullableTime,
  lastConclusive: nullable(LastConclusive),
});

export const CheckViewSchema = sharedSchema<CheckView>()(
  'CheckView',
  'The running check and the latest result.',
  Type.Object({
    producerId: Type.String(),
    running: nullable(
      Type.Object({
        workflowId: Type.String(),
        runId: Type.String(),
        startedAt: Time,
        waitingFor: PendingActivities,
        details: NullableString,
        currentRequest: NullableString,
      }),
    ),
    latest: nullable(Result),
    lastConclusive: nullable(LastConclusive),
    failure: nullable(Type.Object({ message: Type.String() })),
    uiUrl: UiUrl,
  }),
);

const schedule = {
  producerId: Type.String(),
  organization: NullableString,
  primaryRepository: NullableString,
  host,
  every: Type.String(),
  paused: Type.Boolean(),
  note: NullableString,
  nextRunAt: NullableTime,
  lastRunAt: NullableTime,
  running: Type.Boolean(),
  startedRuns: Type.Integer(),
  skippedRuns: Type.Integer(),
  missedRuns: Type.Integer(),
  createdAt: Time,
  changedAt: NullableTime,
  scheduleId: Type.String(),
  uiUrl: UiUrl,
};

export const ScheduleViewSchema = sharedSchema<ScheduleView>()('ScheduleView', 'A Schedule.', Type.Object(schedule));

export const ScheduleSetSchema = Type.Object(
  {
    ...schedule,
    changed: Type.Array(Type.String(), { description: 'The fields that had another value.' }),
  },
  { description: 'The Schedule, and what changed.' },
);

export const SchedulePageSchema = Type.Unsafe<SchedulePage>(
  Type.Object(
    {
      data: Type.Array(ScheduleViewSchema.ref),
      nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page.' }),
    },
    { description: 'One page.' },
  ),
);

export const BatchViewSchema = sharedSchema<BatchView>()(
  'BatchView',
  'A batch: its outcome and progress.',
  Type.Object({
    batchId: Type.String(),
    outcome: words(['running', 'completed', 'failed', 'cancelled', 'terminated']),
    total: Type.Integer(),
    done: NullableInteger,
    entries: nullable(
      Type.Array(
        Type.Object({
          producerId: Type.String(),
          status: nullable(words(['conclusive', 'inconclusive'])),
          outcome,
          reasonCode: nullable(reasonCode),
        }),
      ),
    ),
    workflowId: Type.String(),
    runId: Type.String(),
    uiUrl: UiUrl,
  }),
);
