import { expect, test } from 'vitest';
import { checkInputFaults } from '../../../src/agents-md/check-input.ts';
import { defaultProducerId } from '../../../src/cli/agents-md/default-producer-id.ts';

test.each([
  [{ organization: 'acme' }, 'github.com_acme'],
  [{ organization: 'acme', primaryRepository: 'widgets' }, 'github.com_acme_widgets'],
  [{ host: 'gitlab.com', organization: 'acme', primaryRepository: 'widgets' }, 'gitlab.com_acme_widgets'],
  [{ organization: 'acme', primaryRepository: '.github' }, 'github.com_acme_.github'],
] as const)('derives a readable id from %o', (subject, id) => {
  expect(defaultProducerId(subject)).toBe(id);
});

test('derives different, valid ids for different subjects', () => {
  const names = ['a', 'a_', '_a', 'a__b', 'a-b', 'a.b', '.a', 'x'.repeat(100), `${'x'.repeat(99)}y`];
  const groups = ['a', 'a_b', 'a/b', 'a-b', 'a_', 'a/b/c', 'g'.repeat(255)];
  const subjects = groups.flatMap((organization) => [
    { host: 'gitlab.com' as const, organization },
    { host: 'github.com' as const, organization },
    ...names.map((primaryRepository) => ({ host: 'gitlab.com' as const, organization, primaryRepository })),
  ]);
  const ids = subjects.map(defaultProducerId);
  expect(new Set(ids).size).toBe(subjects.length);
  expect(ids.flatMap((producerId) => checkInputFaults({ producerId }))).toEqual([]);
});

test('treats a missing host as github.com', () => {
  expect(defaultProducerId({ organization: 'acme' })).toBe(
    defaultProducerId({ organization: 'acme', host: 'github.com' }),
  );
});
