import type { RawValue } from '@temporalio/common';
import { defineWorkflowOptions } from '@temporalio/workflow';
import { isObject, shown } from '../json-value.ts';
import { expectedFailure } from '../expected-failure.ts';
import { readPayload, unread } from './read-payload.ts';

/** A sentence without its full stop; undefined if there is none. */
type FaultOf = (input: unknown) => string | undefined;

/**
 * The Workflow for a Worker. Anybody who may write to the Namespace can start it with any input: one that is wrong ends it with an
 * `InvalidInput` that says why, in place of a Workflow Task that fails for ever.
 *
 * @param faultOf what is wrong with the input. @default nothing: the Workflow says it
 */
export function withCheckedInput<Result>(
  workflow: (input: never) => Promise<Result>,
  faultOf: FaultOf = () => undefined,
): (argument?: RawValue) => Promise<Result> {
  // Not async: a Promise more would move what follows.
  const checked = (argument?: RawValue): Promise<Result> => {
    const input = readPayload(argument, (encoding) => `a payload that cannot be read, with the encoding ${encoding}`);
    const fault = faultOf(input);
    return fault === undefined
      ? workflow(input as never)
      : Promise.reject(expectedFailure({ message: fault, type: 'InvalidInput', nonRetryable: true }));
  };
  defineWorkflowOptions(checked, { staticOptions: { typeInfo: { inputTypes: unread } } });
  return checked;
}

const OPTIONAL_NUMBER = 'a number, or absent';
const isExpected = {
  text: (value: unknown) => typeof value === 'string' && value !== '',
  'an object': isObject,
  [OPTIONAL_NUMBER]: (value: unknown) => value === undefined || typeof value === 'number',
};

/** For inputs that only sendoff itself writes. */
export const requiring =
  (fields: Readonly<Record<string, keyof typeof isExpected>>): FaultOf =>
  (input) => {
    if (!isObject(input)) {
      const required = Object.keys(fields).filter((field) => fields[field] !== OPTIONAL_NUMBER);
      return `the input must be an object with ${required.join(', ')}; found ${shown(input)}`;
    }
    for (const [field, expected] of Object.entries(fields))
      if (!isExpected[expected](input[field])) return `${field} must be ${expected}; found ${shown(input[field])}`;
    return undefined;
  };

/** For inputs that only Continue-As-New sets. */
export const nothingOr =
  (faultOf: FaultOf): FaultOf =>
  (input) =>
    input === undefined ? undefined : faultOf(input);
