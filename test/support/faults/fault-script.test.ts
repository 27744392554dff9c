import { describe, expect, test } from 'vitest';
import type { CallFault, Occurrences } from './fault.ts';
import { createFaultScript } from './fault-script.ts';

const fault = (changes: Partial<CallFault> = {}): CallFault => ({
  on: 'call',
  path: '/domains/:id',
  effect: { kind: 'reset', worked: false },
  ...changes,
});
const call = { method: 'GET', path: '/domains/dom_1', account: 'acme' };

describe('which of the calls that fit', () => {
  test.each<[string, Occurrences | undefined, string]>([
    ['the first, if nothing is said', undefined, 'x...'],
    ['the first two', { first: 2 }, 'xx..'],
    ['only the third', { only: 3 }, '..x.'],
    ['all', 'always', 'xxxx'],
  ])('%s', (_name, when, expected) => {
    const script = createFaultScript([fault(when === undefined ? {} : { when })]);
    const met = Array.from({ length: 4 }, () => (script.forCall(call) === undefined ? '.' : 'x'));
    expect(met.join('')).toBe(expected);
  });

  test('what an earlier fault took is not counted by a later one', () => {
    const first = fault({ when: { first: 2 } });
    const second = fault({ effect: { kind: 'silence', worked: false } });
    const script = createFaultScript([first, second]);
    expect(Array.from({ length: 4 }, () => script.forCall(call))).toEqual([first, first, second, undefined]);
  });
});

describe('a fault fits', () => {
  test.each<[string, Partial<CallFault>, boolean]>([
    ['any method if none is said', {}, true],
    ['its own method', { method: 'GET' }, true],
    ['no other method', { method: 'DELETE' }, false],
    ['its own account', { account: 'acme' }, true],
    ['no other account', { account: 'globex' }, false],
    ['no longer path', { path: '/domains' }, false],
    ['no shorter path', { path: '/domains/:id/verify' }, false],
    ['the path letter by letter', { path: '/domains/dom_1' }, true],
    ['no other path of the same length', { path: '/emails/:id' }, false],
  ])('%s', (_name, changes, fits) => {
    expect(createFaultScript([fault(changes)]).forCall(call) !== undefined).toBe(fits);
  });

  test('webhooks by event and account, and never calls', () => {
    const script = createFaultScript([
      { on: 'webhook', event: 'email.delivered', account: 'acme', when: 'always', deliveries: [] },
    ]);
    expect(script.forWebhook({ event: 'email.delivered', account: 'acme' })).toMatchObject({ deliveries: [] });
    expect(script.forWebhook({ event: 'email.bounced', account: 'acme' })).toBeUndefined();
    expect(script.forWebhook({ event: 'email.delivered', account: undefined })).toBeUndefined();
    expect(script.forCall(call)).toBeUndefined();
  });
});
