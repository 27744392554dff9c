import { describe, expect, test } from 'vitest';
import { checkInputFaults } from '../../src/agents-md/check-input.ts';
import type { CheckSoFar, PreviousCheck } from '../../src/agents-md/check-result.ts';
import { measureFile } from '../../src/agents-md/measure-file.ts';
import { nextStep } from '../../src/agents-md/next-step.ts';
import type { Observation } from '../../src/agents-md/observation.ts';
import { outcomeChange } from '../../src/agents-md/outcome-change.ts';
import { unanswered } from '../../src/agents-md/unanswered.ts';
import { carryOver, verdict } from '../../src/agents-md/verdict.ts';

const at = '2026-03-01T00:00:00.000Z';
const later = '2026-03-08T00:00:00.000Z';

/** 404, the name of an answer, or the text of a file. */
type Reply = string | 404;
const answers = ['throttled', 'unreachable', 'redirectBlocked', 'unexpectedContent'];

/** Answers the steps in their order, as a Workflow would, and records what was asked. */
function run(
  replies: Reply[],
  input: CheckSoFar['input'] = { producerId: 'p', organization: 'acme', primaryRepository: 'acme' },
  previous: PreviousCheck | null = null,
) {
  const asked: string[] = [];
  const waits: string[] = [];
  let soFar: CheckSoFar = { input, startedAt: previous === null ? at : later, previous, observations: [] };
  for (let step = nextStep(soFar); step.step !== 'conclude'; step = nextStep(soFar)) {
    const reply = replies[asked.length];
    if (reply === undefined) throw new Error(`asked more than was answered: ${JSON.stringify(step)}`);
    asked.push(step.step === 'resolve' ? 'resolve' : `${step.place.repository}/${step.place.path}`);
    if (step.step === 'fetch' && step.notBefore !== null) waits.push(step.notBefore);
    soFar = { ...soFar, observations: [...soFar.observations, observed(step, reply, soFar.startedAt)] };
  }
  const result = verdict(soFar, soFar.startedAt);
  expect(asked.length).toBeLessThanOrEqual(3);
  return { asked, waits, soFar, result, next: carryOver(soFar, result) };
}

function observed(step: Parameters<typeof unanswered>[0], reply: Reply, observedAt: string): Observation {
  const bare = unanswered(step, { type: 'HostUnreachable', message: 'said so' }, observedAt);
  if (bare.kind === 'resolution') {
    if (reply === 'resolvedByTwo') {
      const namesakeUrl = 'https://api.example/repos/acme/acme';
      return { ...bare, answer: 'resolved', repository: 'core', selectedBy: 'mostStars', namesakeUrl };
    }
    if (reply === 'resolved') return { ...bare, answer: reply, repository: 'core', selectedBy: 'mostStars' };
    return { ...bare, answer: reply === 'unknownOrganization' ? 'absent' : (reply as 'none') };
  }
  if (reply === 404) return { ...bare, answer: 'absent', httpStatus: 404 };
  if (answers.includes(reply)) return { ...bare, answer: reply as 'throttled' };
  const { measurement, symlink, namedFiles, excerpt } = measureFile(new TextEncoder().encode(reply), false);
  return {
    ...bare,
    answer: 'text',
    httpStatus: 200,
    etag: '"e"',
    sha256: reply,
    measurement,
    symlink,
    namedFiles,
    excerpt,
  };
}

/** The first question about a repository that is named. */
function nextOf(primaryRepository: string): Parameters<typeof unanswered>[0] {
  const input = { producerId: 'p', organization: 'acme', primaryRepository };
  const step = nextStep({ input, startedAt: later, previous: null, observations: [] });
  if (step.step === 'conclude') throw new Error('there is nothing to ask');
  return step;
}

const content = 'x'.repeat(200);
const noRepository = { producerId: 'p', organization: 'acme' };
const primary = 'acme/AGENTS.md';
const fallback = '.github/AGENTS.md';

describe('each kind of result', () => {
  test.each<[string, Reply[], string, string | null, string[], CheckSoFar['input']?]>([
    ['content in the first place', [content], 'content_found', 'pass', [primary]],
    ['a stub does not fall back', ['Short.\n'], 'stub', 'partial', [primary]],
    ['nothing in it', ['<!-- x -->'], 'empty_file', 'partial', [primary]],
    ['a pointer', ['See CLAUDE.md'], 'pointer_only', 'partial', [primary]],
    ['Git LFS', ['version https://git-lfs.github.com/spec/v1'], 'lfs_pointer', 'partial', [primary]],
    ['404, then content', [404, content], 'content_found', 'pass', [primary, fallback]],
    ['404 twice', [404, 404], 'file_not_found', 'fail', [primary, fallback]],
    ['throttled in the first place', ['throttled'], 'throttled', null, [primary]],
    ['throttled in the second', [404, 'throttled'], 'throttled', null, [primary, fallback]],
    ['unreachable', ['unreachable'], 'unreachable', null, [primary]],
    ['a redirect elsewhere', ['redirectBlocked'], 'redirect_blocked', null, [primary]],
    ['HTML', ['unexpectedContent'], 'unexpected_content', null, [primary]],
    ['a symlink', ['CLAUDE.md', content], 'content_found', 'pass', [primary, 'acme/CLAUDE.md']],
    ['a symlink to a file without an ending', ['.rules', content], 'content_found', 'pass', [primary, 'acme/.rules']],
    [
      'a symlink to rules of an editor',
      ['.cursor/rules/main.mdc', content],
      'content_found',
      'pass',
      [primary, 'acme/.cursor/rules/main.mdc'],
    ],
    [
      'two requests for the repository',
      ['resolvedByTwo', content],
      'content_found',
      'pass',
      ['resolve', 'core/AGENTS.md'],
      noRepository,
    ],
    [
      'three requests spent',
      ['resolvedByTwo', 404],
      'requests_spent',
      null,
      ['resolve', 'core/AGENTS.md'],
      noRepository,
    ],
    ['a word that is no symlink', ['TODO', 404], 'stub', 'partial', [primary, 'acme/TODO']],
    ['a word that is a symlink to a word', ['TODO', 'later'], 'stub', 'partial', [primary, 'acme/TODO']],
    ['a word whose file cannot be asked for', ['TODO', 'throttled'], 'throttled', null, [primary, 'acme/TODO']],
    [
      'a word, with no request left to see whether it is a symlink',
      ['resolved', 404, 'TODO'],
      'stub',
      'partial',
      ['resolve', 'core/AGENTS.md', fallback],
      noRepository,
    ],
    ['a symlink to nothing', ['CLAUDE.md', 404], 'broken_link', 'partial', [primary, 'acme/CLAUDE.md']],
    ['a symlink to a symlink', ['CLAUDE.md', 'AGENTS.md'], 'broken_link', 'partial', [primary, 'acme/CLAUDE.md']],
    ['a symlink to a throttled file', ['CLAUDE.md', 'throttled'], 'throttled', null, [primary, 'acme/CLAUDE.md']],
    ['a symlink to itself', ['AGENTS.md'], 'broken_link', 'partial', [primary]],
    ['a symlink out of the repository', ['../x.md'], 'broken_link', 'partial', [primary]],
    ['no organization', [], 'no_organization', 'fail', [], { producerId: 'p' }],
    [
      '.github as the primary',
      [404],
      'file_not_found',
      'fail',
      [fallback],
      { ...noRepository, primaryRepository: '.github' },
    ],
    [
      'a host without a second place',
      [404],
      'file_not_found',
      'fail',
      [primary],
      { ...noRepository, primaryRepository: 'acme', host: 'gitlab.com' },
    ],
    [
      'found repository',
      ['resolved', 404, content],
      'content_found',
      'pass',
      ['resolve', 'core/AGENTS.md', fallback],
      noRepository,
    ],
    ['no repository', ['none', 404], 'no_repository', 'fail', ['resolve', fallback], noRepository],
    ['no such organization', ['unknownOrganization'], 'organization_not_found', 'fail', ['resolve'], noRepository],
    ['a repository must be named', ['undetermined'], 'repository_required', null, ['resolve'], noRepository],
    ['a throttled search', ['throttled'], 'throttled', null, ['resolve'], noRepository],
    [
      'a fourth request',
      ['resolved', 404, 'CLAUDE.md'],
      'requests_spent',
      null,
      ['resolve', 'core/AGENTS.md', fallback],
      noRepository,
    ],
  ])('%s', (_, replies, reasonCode, outcome, expectedAsked, input) => {
    const { asked, result } = run(replies, input);
    expect(asked).toEqual(expectedAsked);
    expect(result).toMatchObject({ reasonCode, outcome, status: outcome === null ? 'inconclusive' : 'conclusive' });
    expect(result.message + result.remediation.steps.join()).not.toMatch(/[{}]/);
  });

  test.each([
    [143, '143 visible characters'],
    [1, '1 visible character'],
  ])('names the place and the count: %i', (count, counted) => {
    expect(run([`${'y'.repeat(count)}\n`]).result.message).toBe(`AGENTS.md in acme/acme has ${counted} (200 needed).`);
  });
});

describe('from one check to the next', () => {
  const passed = run([content]).next;

  test('fails a former pass only after a second check half an hour later', () => {
    const { asked, waits, result } = run([404, 404, 404], undefined, passed);
    expect(asked).toEqual([primary, fallback, primary]);
    expect(waits).toEqual(['2026-03-08T00:30:00.000Z']);
    expect(result).toMatchObject({ outcome: 'fail', reasonCode: 'file_not_found' });
  });

  test('passes if the second check finds the file again', () => {
    expect(run([404, 404, content], undefined, passed).result).toMatchObject({ outcome: 'pass', unchangedSince: at });
  });

  test('keeps the last conclusive result in an inconclusive one', () => {
    const { result } = run(['throttled'], undefined, passed);
    expect(result).toMatchObject({ outcome: null, lastConclusive: { outcome: 'pass', checkedAt: at } });
  });

  test('is inconclusive if no request is left for the second check', () => {
    const before = { ...run(['resolved', content], noRepository).next, resolved: null };
    const { result } = run(['resolved', 404, 404], noRepository, before);
    expect(result).toMatchObject({ outcome: null, reasonCode: 'absence_unconfirmed' });
  });

  test('sends the ETag while the rule is unchanged', () => {
    const soFar = {
      input: passed.result.subject as CheckSoFar['input'],
      startedAt: later,
      previous: passed,
      observations: [],
    };
    expect(nextStep(soFar)).toMatchObject({ stored: { etag: '"e"' } });
    const older = { ...passed, observations: passed.observations.map((one) => ({ ...one, ruleVersion: 0 })) };
    expect(nextStep({ ...soFar, previous: older })).toMatchObject({ stored: null });
  });

  test('keeps the selected repository for 30 days', () => {
    const { next } = run(['resolved', content], noRepository);
    expect(run([content], noRepository, next).asked).toEqual(['core/AGENTS.md']);
  });

  test('selects the repository again after it lost its file, not if it never had one', () => {
    const { next } = run(['resolved', content], noRepository);
    const lost = run([404, 404, 404], noRepository, next);
    expect(lost.result.outcome).toBe('fail');
    expect(run(['resolved', 404, 404], noRepository, lost.next).asked[0]).toBe('resolve');
    const never = run([404, 404], noRepository, run(['resolved', 404, 404], noRepository).next);
    expect(never.asked).toEqual(['core/AGENTS.md', fallback]);
    expect(run([404, 404], noRepository, never.next).asked).toEqual(['core/AGENTS.md', fallback]);
  });

  test('remembers where the file was past an inconclusive check', () => {
    const day0 = { ...run(['resolved', content], noRepository).next, resolved: null };
    const silent = run(['unreachable'], noRepository, day0);
    expect(silent.result.subject.primaryRepository).toBeNull();
    const { result } = run(['resolved', 404, 404], noRepository, silent.next);
    expect(result).toMatchObject({ outcome: null, reasonCode: 'absence_unconfirmed' });

    const found = run(['unknownOrganization', content], noRepository, day0);
    const again = run(['unknownOrganization', content], noRepository, found.next);
    expect(again.asked).toEqual(['resolve', 'core/AGENTS.md']);
    expect(again.result.outcome).toBe('pass');
  });

  test('keeps a pass if the organization is not found once', () => {
    const before = { ...run(['resolved', content], noRepository).next, resolved: null };
    const { asked, waits, result } = run(['unknownOrganization', content], noRepository, before);
    expect(asked).toEqual(['resolve', 'core/AGENTS.md']);
    expect(waits).toEqual(['2026-03-08T00:30:00.000Z']);
    expect(result).toMatchObject({ outcome: 'pass', reasonCode: 'content_found' });
    expect(run(['unknownOrganization', 404], noRepository, before).result.reasonCode).toBe('organization_not_found');
  });

  test('compares no results across named repositories', () => {
    const { asked, result } = run([404, 404], { ...noRepository, primaryRepository: 'other' }, passed);
    expect(asked).toEqual(['other/AGENTS.md', fallback]);
    expect(result).toMatchObject({ outcome: 'fail', lastConclusive: { outcome: 'fail' } });
    const { result: silent } = run(['throttled'], { ...noRepository, primaryRepository: 'other' }, passed);
    expect(silent.lastConclusive).toBeNull();
  });

  test('compares no results across selected repositories', () => {
    const before = { ...passed, resolved: null };
    const { asked, result } = run(['resolved', 404, 404], noRepository, before);
    expect(asked).toEqual(['resolve', 'core/AGENTS.md', fallback]);
    expect(result).toMatchObject({ outcome: 'fail', reasonCode: 'file_not_found' });
  });

  test('ignores case in names', () => {
    const input = { producerId: 'p', organization: 'ACME', primaryRepository: 'Acme' };
    expect(run(['throttled'], input, passed).result.lastConclusive).toMatchObject({ outcome: 'pass' });
  });

  test("compares an outcome with the producer's last conclusive one, past an inconclusive check of another organization", () => {
    const other = { producerId: 'p', organization: 'other', primaryRepository: 'other' };
    const silent = run(['throttled'], other, passed);
    expect(silent.result.lastConclusive).toBeNull();
    const { result } = run([404, 404], other, silent.next);
    expect(outcomeChange(silent.next, result)).toMatchObject({ from: { outcome: 'pass' }, to: { outcome: 'fail' } });
    expect(outcomeChange(null, result)).toBeNull();
    expect(outcomeChange(passed, silent.result)).toBeNull();
    expect(outcomeChange(passed, passed.result)).toBeNull();
  });
});

describe('the findings of another check of the organization', () => {
  const named = (primaryRepository: string): CheckSoFar['input'] => ({
    producerId: 'p',
    organization: 'acme',
    primaryRepository,
  });
  const given = (soFar: CheckSoFar): CheckSoFar => ({
    ...soFar,
    given: { observations: soFar.observations.length, resolved: null },
  });

  test('decide for the same repository, without a request', () => {
    const { soFar } = run([404, content], named('acme'));
    const follower = given({ ...soFar, input: { ...soFar.input, producerId: 'q' } });
    expect(nextStep(follower)).toEqual({ step: 'conclude' });
    expect(verdict(follower, at)).toMatchObject({ outcome: 'pass', foundIn: 'orgFallback' });
  });

  test('never decide for another repository', () => {
    const { soFar } = run([content], named('old'));
    expect(nextStep(given({ ...soFar, input: named('new') }))).toMatchObject({ place: { repository: 'new' } });
  });

  test('include a second check for a producer without a previous result', () => {
    const { soFar } = run([404, 404, content], named('acme'), run([content]).next);
    const follower = given({ ...soFar, previous: null });
    expect(verdict(follower, at)).toMatchObject({ outcome: 'pass', reasonCode: 'content_found' });
  });

  test('do not replace a second check of another place', () => {
    const inFallback = run([404, content]).next;
    const { soFar } = run([404, 404, 404], named('acme'), inFallback);
    const own = run([content], named('other')).next;
    const shared = soFar.observations.filter((seen) => seen.kind === 'file' && seen.place.repository === '.github');
    const gone: Observation = observed(nextOf('other'), 404, later);
    const follower: CheckSoFar = {
      input: named('other'),
      startedAt: later,
      previous: own,
      observations: [...shared, gone],
      given: { observations: shared.length, resolved: null },
    };
    expect(nextStep(follower)).toMatchObject({ look: 'second', place: { repository: 'other' } });
  });

  test('leave the other check its own three requests', () => {
    const { soFar } = run([404, 404, content], named('acme'), run([content]).next);
    expect(nextStep(given({ ...soFar, input: named('other') }))).toMatchObject({ step: 'fetch', hopsMax: 2 });
  });

  test('include the selected repository', () => {
    const { soFar, next } = run(['resolved', content], noRepository);
    const follower: CheckSoFar = {
      ...soFar,
      observations: [],
      given: { observations: 0, resolved: next.resolved },
    };
    expect(nextStep(follower)).toMatchObject({ step: 'fetch', place: { repository: 'core' } });
  });
});

test.each([
  [{ producerId: 'p', organization: 'a-b1', primaryRepository: '.github' }, []],
  [{ producerId: 'p', organization: 'https://github.com/acme' }, ['organization']],
  [{ producerId: 'p', organization: 'a--b' }, ['organization']],
  [{ producerId: 'p', organization: 'a'.repeat(40) }, ['organization']],
  [{ producerId: 'p', organization: 'acme', primaryRepository: '..' }, ['primaryRepository']],
  [{ producerId: 'p', organization: 'a/b', host: 'gitlab.com' }, []],
  [{ producerId: '..', host: 'example.com', url: 'x' }, ['url', 'producerId', 'host']],
  [{ producerId: 'p', primaryRepository: 'x' }, ['organization']],
])('%j has problems in %j', (input, fields) => {
  expect(checkInputFaults(input).map(({ field }) => field)).toEqual(fields);
});
