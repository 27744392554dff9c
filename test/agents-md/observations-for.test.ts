import { expect, test } from 'vitest';
import { observationsFor } from '../../src/agents-md/observations-for.ts';
import type { CheckInput } from '../../src/agents-md/check-input.ts';
import type { Observation } from '../../src/agents-md/observation.ts';
import { unanswered } from '../../src/agents-md/unanswered.ts';
import { firstLook } from '../support/place-fetcher.ts';

const at = '2026-03-01T00:00:00.000Z';
const silent = { type: 'HostUnreachable', message: 'status 503' };
const resolution = unanswered({ step: 'resolve', host: 'github.com', organization: 'acme', hopsMax: 2 }, silent, at);
const fileIn = (repository: string, path = 'AGENTS.md'): Observation => {
  const asked = firstLook(repository);
  return unanswered({ ...asked, step: 'fetch', notBefore: null, place: { ...asked.place, path } }, silent, at);
};
const resolved = {
  host: 'github.com',
  organization: 'acme',
  repository: 'core',
  selectedBy: 'mostStars',
  resolvedAt: at,
} as const;

test.each<[string, string | undefined, typeof resolved | null, string[]]>([
  ['a named repository takes its own files and those of .github', 'One', null, ['one', 'one/docs', '.github']],
  ['one that is found out takes the files of what was found', undefined, resolved, ['core', '.github']],
  ['one that is not found yet takes the answer about it', undefined, null, ['(resolution)', '.github']],
])('%s', (_, primaryRepository, found, expected) => {
  const observed = [resolution, fileIn('one'), fileIn('one', 'docs'), fileIn('core'), fileIn('two'), fileIn('.github')];
  const input: CheckInput = { producerId: 'p', organization: 'acme', ...(primaryRepository && { primaryRepository }) };
  const names = observationsFor(input, observed, found).map((seen) =>
    seen.kind === 'resolution'
      ? '(resolution)'
      : seen.place.repository + (seen.place.path === 'AGENTS.md' ? '' : `/${seen.place.path}`),
  );
  expect(names).toEqual(expected);
});
