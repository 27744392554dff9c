import { expect, test } from 'vitest';
import { entriesHeld } from '../../src/agents-md/batch.ts';

test('the progress Query accepts the number of entries that the caller has', () => {
  expect(entriesHeld({ after: 0 })).toBe(0);
  expect(entriesHeld({ after: 4_000 })).toBe(4_000);
});

test.each([[undefined], [null], [7], ['text'], [[]], [{}], [{ after: -1 }], [{ after: 1.5 }], [{ after: '1' }]])(
  'and refuses %j with what was expected',
  (query) => {
    expect(() => entriesHeld(query)).toThrow('expected {"after": 0}');
  },
);
