import {
  defaultPayloadConverter,
  type Payload,
  type RawValue,
  rawValueTypeInfo,
  type TypeInfo,
} from '@temporalio/common';

/**
 * Lets the SDK pass arguments on unread, at any index: it reads them before a handler or a Workflow is called, and one that it cannot read,
 * such as text that is not JSON, would fail every Workflow Task from then on.
 */
export const unread: readonly TypeInfo[] = new Proxy([], { get: () => rawValueTypeInfo });

const ENCODING_LENGTH_MAX = 100;

/** @param unreadable the value in place of one that cannot be read */
export function readPayload(argument: RawValue | undefined, unreadable: (encoding: string) => unknown): unknown {
  if (argument === undefined) return undefined;
  const { payload } = argument;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return unreadable(encodingOf(payload));
  }
}

/** Anybody who may start Workflows chooses it. */
const encodingOf = ({ metadata }: Payload): string =>
  [...(metadata?.['encoding'] ?? [])]
    .slice(0, ENCODING_LENGTH_MAX)
    .map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '?'))
    .join('');
