import {
  defaultPayloadConverter,
  type Payload,
  type RawValue,
  rawValueTypeInfo,
  type TypeInfo,
} from '@temporalio/common';
import { defineSignal, setHandler } from '@temporalio/workflow';

/** For an argument at any index. */
const unread: readonly TypeInfo[] = new Proxy([], { get: () => rawValueTypeInfo });

/**
 * Registers the handler of a Signal, which may have any content: a client cannot be refused. The SDK reads arguments before the handler
 * is called, and one that it cannot read, such as text that is not JSON, would fail every Workflow Task from then on.
 *
 * @param handler gets the first argument, undefined if it cannot be read
 */
export function handleSignal(
  { name }: { readonly name: string },
  handler: (content: unknown) => void,
  options: { readonly description?: string } = {},
): void {
  const anyContent = defineSignal<[RawValue?]>(name, { typeInfo: { inputTypes: unread } });
  setHandler(
    anyContent,
    (argument) => {
      handler(contentOf(argument?.payload));
    },
    options,
  );
}

function contentOf(payload: Payload | undefined): unknown {
  if (payload === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}
