// All that a Temporal server has of the Workflow Executions of a deployment, as it stores it: what anybody reads who may read its Namespaces or
// its backups.
import { Connection } from '@temporalio/client';
import { expect } from 'vitest';
import type { Address } from '../../src/dev/data-folder.ts';

export interface StoredPayload {
  /** Without numbers: `events.workflowExecutionStartedEventAttributes.input.payloads`. */
  readonly path: string;
  readonly encoding: string;
  readonly text: string;
}

export interface StoredInTemporal {
  /** By Workflow Type, for a test that expects some. */
  readonly types: ReadonlySet<string>;
  readonly payloads: readonly StoredPayload[];
  /** Each text that is no payload: ids, names, messages and stack traces of failures. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
}

/** Histories and descriptions of every execution: memos, summaries, details, Search Attributes, pending Activities with their last failure. */
export async function storedInTemporal(address: Address): Promise<StoredInTemporal> {
  const connection = await Connection.connect({ address: address.temporalAddress });
  const { workflowService } = connection;
  const found = {
    types: new Set<string>(),
    payloads: [] as StoredPayload[],
    texts: [] as { path: string; text: string }[],
  };
  try {
    for (const namespace of [address.temporalNamespace, address.backgroundNamespace, address.emailServiceNamespace]) {
      const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 });
      for (const { execution = null, type } of executions) {
        found.types.add(type?.name ?? '');
        collect(await workflowService.describeWorkflowExecution({ namespace, execution }), [], found);
        const { history, nextPageToken } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
        if (nextPageToken.length > 0) throw new Error('a history has several pages');
        collect(history, [], found);
      }
    }
    return found;
  } finally {
    await connection.close();
  }
}

interface Collected {
  readonly payloads: StoredPayload[];
  readonly texts: { path: string; text: string }[];
}

function collect(value: unknown, path: readonly string[], found: Collected): void {
  if (typeof value === 'string') found.texts.push({ path: path.join('.'), text: value });
  else if (value instanceof Uint8Array) found.texts.push({ path: path.join('.'), text: textOf(value) });
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  const { metadata, data } = value as { metadata?: { encoding?: Uint8Array }; data?: Uint8Array };
  if (metadata?.encoding instanceof Uint8Array) {
    found.payloads.push({
      path: path.join('.'),
      encoding: textOf(metadata.encoding),
      text: textOf(data ?? new Uint8Array()),
    });
    return;
  }
  for (const [name, inner] of Object.entries(value)) collect(inner, /^\d+$/.test(name) ? path : [...path, name], found);
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** What docs/operating.md says stays in clear, and two notes of Core and the server that hold nothing of ours. */
const payloadsInClear: readonly (readonly [path: RegExp, text: RegExp])[] = [
  [/[sS]earchAttributes\.indexedFields\.\w+$/, /^/],
  [/markerRecordedEventAttributes\.details\.data\.payloads$/, /^\{"seq":\d+,"attempt":\d+,"activity_id":"\d+",/],
  [/activityTaskCanceledEventAttributes\.details\.payloads$/, /^"ACTIVITY_ID_NOT_STARTED"$/],
];
const MESSAGE_OF_A_FAILURE = /\b(?:failure|lastFailure|cause)\.message$/;
const [content, addresses] = [
  /Welcome aboard|came through it|so_live_|whsec_|PRIVATE KEY|# ?AGENTS/i,
  /(?:ada|nobody|hello)@/,
];

export function expectNothingInClear({ payloads: all, texts }: StoredInTemporal): void {
  const inClear = all.filter(({ encoding }) => encoding !== 'binary/encrypted');
  expect(
    inClear.filter(({ path, text }) => !payloadsInClear.some(([where, what]) => where.test(path) && what.test(text))),
  ).toEqual([]);
  expect(all.length).toBeGreaterThan(2 * inClear.length);
  const read = [...texts, ...inClear];
  expect(read.filter(({ text }) => content.test(text))).toEqual([]);
  expect(read.filter(({ path, text }) => addresses.test(text) && !MESSAGE_OF_A_FAILURE.test(path))).toEqual([]);
  expect(texts.filter(({ path }) => path.endsWith('stackTrace'))).toEqual([]);
}

/** Of failures, which stay in clear. */
export const messagesInClear = ({ texts }: StoredInTemporal): string[] =>
  texts.flatMap(({ path, text }) => (MESSAGE_OF_A_FAILURE.test(path) ? [text] : []));
