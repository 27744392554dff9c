import { describe, expect, test } from 'vitest';
import { findingsFor, partsOf, UNDER_WAY_MAX } from '../../src/agents-md/batch-parts.ts';
import type { CheckInput } from '../../src/agents-md/check-input.ts';
import { nextStep } from '../../src/agents-md/next-step.ts';
import type { Observation } from '../../src/agents-md/observation.ts';
import { unanswered } from '../../src/agents-md/unanswered.ts';

const of = (position: number, organization: string, primaryRepository?: string): CheckInput => ({
  producerId: `p-${position}`,
  organization,
  ...(primaryRepository === undefined ? {} : { primaryRepository }),
});
const idsOf = (chains: ReturnType<typeof partsOf>): string[] =>
  chains.flat().flatMap(({ groups }) => groups.flat().map(({ producerId }) => producerId));

describe('the parts of a batch', () => {
  test('contain each producer once, up to the maximum', () => {
    const producers = Array.from({ length: 5_000 }, (_, position) => of(position, `organization-${position % 1_700}`));
    const chains = partsOf(producers);
    expect(new Set(idsOf(chains)).size).toBe(5_000);
    expect(idsOf(chains)).toHaveLength(5_000);
    for (const { groups } of chains.flat()) expect(groups.flat().length).toBeLessThanOrEqual(250);
    expect(chains.every((chain) => chain.length === 1)).toBe(true);
  });

  test('share no organization, except as slices of one chain', () => {
    const producers = Array.from({ length: 900 }, (_, position) =>
      of(position, position < 600 ? 'large' : `small-${position % 9}`),
    );
    const chains = partsOf(producers, 100);
    const organizations = chains.map(
      (chain) => new Set(chain.flatMap(({ groups }) => groups.flat().map(({ organization }) => organization))),
    );
    expect(chains.map((chain) => chain.length)).toEqual([6, 1, 1, 1, 1]);
    expect(organizations.reduce((sum, { size }) => sum + size, 0)).toBe(10);
  });

  test('slice an organization in the order of its repositories, and name the start of the next slice', () => {
    const names = ['b', 'A', undefined, 'a', 'B', undefined];
    const [chain = []] = partsOf(
      names.map((name, position) => of(position, 'acme', name)),
      2,
    );
    expect(chain.map(({ groups }) => groups.flat().map(({ producerId }) => producerId))).toEqual([
      ['p-2', 'p-5'],
      ['p-1', 'p-3'],
      ['p-0', 'p-4'],
    ]);
    expect(chain.map(({ nextFrom }) => nextFrom)).toEqual(['a', 'b', null]);
  });

  test('have one host each, within the limit of the host', () => {
    const producers = Array.from({ length: 600 }, (_, position): CheckInput => {
      return { ...of(position, `o-${position}`), host: position % 2 === 0 ? 'github.com' : 'gitlab.com' };
    });
    const parts = partsOf(producers).flat();
    for (const { host, groups, underWayMax } of parts) {
      expect(groups.flat().every((producer) => producer.host === host)).toBe(true);
      expect(underWayMax).toBeLessThanOrEqual(UNDER_WAY_MAX / 4);
    }
  });
});

test('pass on only the findings that a later slice can reuse', () => {
  const seen = (repository: string, position: number): Observation => {
    const step = nextStep({
      input: of(position, 'acme', repository),
      startedAt: '2026-03-01T00:00:00Z',
      previous: null,
      observations: [],
    });
    if (step.step === 'conclude') throw new Error('there is nothing to ask');
    return unanswered(step, { type: 'HostThrottled' }, '2026-03-01T00:00:00Z');
  };
  const observed = ['a', 'b', 'Core', '.github', 'c'].map(seen);
  const resolved = {
    host: 'github.com',
    organization: 'acme',
    repository: 'core',
    selectedBy: 'mostStars',
    resolvedAt: '',
  } as const;
  const findings = findingsFor({ host: 'github.com', nextFrom: 'c' }, { observed, resolved });
  expect(findings).toEqual({ resolved, observed: observed.slice(2) });
  expect(findingsFor({ host: 'github.com', nextFrom: null }, { observed, resolved })).toEqual({
    resolved: null,
    observed: [],
  });
});
