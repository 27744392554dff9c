import { expect, test } from 'vitest';
import * as ofEmailService from '../../../src/email-service/workflows/index.ts';
import { unread } from '../../../src/lib/workflow-waits/read-payload.ts';
import * as ofOrchestrator from '../../../src/workflows/index.ts';

interface Workflow {
  readonly length: number;
  readonly staticOptions?: { readonly typeInfo?: { readonly inputTypes?: unknown } };
}

test.each([
  ['orchestrator', ofOrchestrator],
  ['email service', ofEmailService],
])(
  'every Workflow of the %s that takes an input checks it, as anybody who may write to the Namespace can start it',
  (_program, exported) => {
    const workflows = Object.entries(exported as Readonly<Record<string, Workflow>>);
    const isChecked = ([, { staticOptions }]: (typeof workflows)[number]): boolean =>
      staticOptions?.typeInfo?.inputTypes === unread;
    const unchecked = workflows.filter((workflow) => !isChecked(workflow));
    expect(workflows.length - unchecked.length).toBeGreaterThan(2);
    expect(unchecked.filter(([, { length }]) => length > 0).map(([name]) => name)).toEqual([]);
  },
);
