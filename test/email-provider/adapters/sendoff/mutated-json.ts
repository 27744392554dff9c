import type { Chances } from '../../../support/seeded-chances.ts';

const STRANGE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 550, '550', '', ' ', 'found', 'FOUND', 'verified', 'unknown', '__proto__'],
  ...['2026-01-02T03:04:05Z', 'yesterday', '\u0000', '\ud800', 'a'.repeat(3_000), [], {}, [[]], [null], ['text'], [{}]],
  ...[{ code: 'x' }, { fix: 7 }, { found: 'x' }, { found: [1, null, 'x'] }, { records: null }, { id: 1 }],
];

/** A JSON value in which some parts are missing, of another type, repeated, or beside unknown ones. */
export function mutated(value: unknown, chances: Chances): unknown {
  if (chances.once(9)) return chances.pick(STRANGE);
  if (Array.isArray(value)) {
    const items: unknown[] = value.flatMap((item: unknown) => {
      if (chances.once(12)) return [];
      return chances.once(12) ? [item, mutated(item, chances)] : [mutated(item, chances)];
    });
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(() => !chances.once(12));
  const strangers = chances.once(5) ? [['toString', null] as const, ['stranger', { deep: [1] }] as const] : [];
  return Object.fromEntries([...fields.map(([name, field]) => [name, mutated(field, chances)] as const), ...strangers]);
}
