import { Type } from 'typebox';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';
import { FileEncoding } from '../../agents-md/decode-file.ts';
import { ContentClass } from '../../agents-md/file-measurement.ts';
import { FoundIn, NoAnswer } from '../../agents-md/observation.ts';
import { Outcome, type ReasonCode, reasons } from '../../agents-md/reasons.ts';
import { SelectedBy } from '../../agents-md/select-repository.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import {
  nullable,
  NullableInteger,
  NullableString,
  NullableTime,
  PendingActivities,
  sharedSchema,
  strictObject,
  Time,
  UiUrl,
  words,
} from './shared-schema.ts';

export const host = words(Object.values(HostName));
const outcome = nullable(words(Object.values(Outcome)));
export const reasonCode = words(Object.keys(reasons) as ReasonCode[]);
const foundIn = nullable(words(Object.values(FoundIn)));

/** Where a producer's file is. */
export const place = {
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

export const CheckInputSchema = sharedSchema<CheckInput>()(
  'CheckInput',
  'The producer to check.',
  strictObject({ producerId, ...place }),
);

export const PreferHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({ description: '`wait=30`: answer when the check has ended, within at most 60 seconds (RFC 7240).' }),
  ),
});

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
