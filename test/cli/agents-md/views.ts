import { verdict } from '../../../src/agents-md/verdict.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import type { CheckResult } from '../../../src/agents-md/check-result.ts';
import { measureFile } from '../../../src/agents-md/measure-file.ts';
import { type FileObservation, RULE_VERSION } from '../../../src/agents-md/observation.ts';
import { unanswered } from '../../../src/agents-md/unanswered.ts';
import { firstLook } from '../../support/place-fetcher.ts';
import type { CheckView, RunningCheck } from '../../../src/client/agents-md/checks.ts';
import type { ProducerView } from '../../../src/client/agents-md/producer-views.ts';

const AT = '2026-11-21T12:00:00.000Z';

/** What the rule itself makes of a file with this content; `undefined`: there is none; `'silent'`: nobody answers. */
export function resultFor(input: CheckInput, content: string | undefined): CheckResult {
  const { organization, primaryRepository: repository = 'widgets' } = input;
  const named: CheckInput = organization === undefined ? input : { ...input, primaryRepository: repository };
  const observations =
    organization === undefined
      ? []
      : (['primary', 'orgFallback'] as const).map((place) => observation(place, organization, repository, content));
  const looked = content === undefined ? observations : observations.slice(0, 1);
  return verdict({ input: named, startedAt: AT, previous: null, observations: looked }, AT);
}

function observation(
  place: 'primary' | 'orgFallback',
  organization: string,
  primary: string,
  content: string | undefined,
): FileObservation {
  const repository = place === 'primary' ? primary : '.github';
  const asked = firstLook(repository, organization);
  const question = { ...asked, step: 'fetch', notBefore: null, place: { ...asked.place, in: place } } as const;
  const silent = unanswered(question, { type: 'HostUnreachable', message: 'github.com: status 503' }, AT);
  if (silent.kind !== 'file') throw new Error('a fetch is answered with a file');
  if (content === 'silent') return silent;
  if (content === undefined) return { ...silent, httpStatus: 404, answer: 'absent', detail: null };
  const { measurement, symlink, namedFiles, excerpt } = measureFile(Buffer.from(content), false);
  const read = { httpStatus: 200, answer: 'text', detail: null, etag: null, sha256: 'a'.repeat(64) } as const;
  return { ...silent, ...read, ruleVersion: RULE_VERSION, measurement, symlink, namedFiles, excerpt };
}

export const LONG = 'How to build and test this. '.repeat(10);

export const running = (changes: Partial<RunningCheck> = {}): RunningCheck => ({
  workflowId: 'agents-md/acme',
  runId: 'run-1',
  startedAt: AT,
  waitingFor: [],
  details: null,
  currentRequest: null,
  ...changes,
});

export const checkView = (changes: Partial<CheckView> = {}): CheckView => ({
  producerId: 'acme',
  running: null,
  latest: null,
  lastConclusive: null,
  failure: null,
  uiUrl: null,
  ...changes,
});

export const producerView = (changes: Partial<ProducerView> = {}): ProducerView => ({
  producerId: 'acme',
  organization: 'acme',
  primaryRepository: 'widgets',
  host: 'github.com',
  every: '7d',
  paused: false,
  labels: ['core'],
  latest: null,
  lastAttempt: null,
  nextCheckAt: '2026-11-28T12:00:00.000Z',
  ...changes,
});
