import type { RawValue } from '@temporalio/common';
import { defineSignal, setHandler } from '@temporalio/workflow';
import { readPayload, unread } from './read-payload.ts';

/**
 * Registers the handler of a Signal, which may have any content: a client cannot be refused.
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
      handler(readPayload(argument, () => undefined));
    },
    options,
  );
}
