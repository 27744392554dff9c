import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { afterAll, expect, test } from 'vitest';
import type { AgentsMd } from '../../src/client/agents-md/agents-md.ts';
import type { CheckView } from '../../src/client/agents-md/checks.ts';
import type { DomainReport } from '../../src/onboarding/domain-report.ts';
import { newWatch } from '../../src/onboarding/domain-watch.ts';
import type { StoredRecord } from '../../src/store/onboarding/register.ts';
import { httpDependencies, runningView } from '../support/http-dependencies.ts';
import { API_TOKEN } from '../support/http-requests.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import { EmailAccepted } from '../../src/email-service/http/routes/email-routes.ts';
import { ErasedCounts } from '../../src/email-service/resources/erasure.ts';
import { CheckViewSchema } from '../../src/http/schemas/agents-md.ts';
import { CheckProgressSchema, ProducerWithResultsSchema } from '../../src/http/schemas/producers.ts';
import { OnboardingViewSchema } from '../../src/http/schemas/onboarding.ts';
import { problemSchema } from '../../src/lib/http/problem.ts';
import { type ProblemCode, problemCodes } from '../../src/lib/http/problem-codes.ts';

const started = async () => ({ kind: 'started' as const, record: {} as StoredRecord, view: {} });
const producer = { producerId: 'acme', host: 'github.com', everyMs: 86_400_000, labels: [], latest: null };
const noOutcomes = { pass: 0, partial: 0, fail: 0, inconclusive: 0 };
const agentsMd = {
  checks: {
    start: async () => ({ kind: 'started', run: { workflowId: 'w', runId: 'r' } }),
    untilEnded: async () => true,
    get: async () => ({}) as CheckView,
  },
  producers: {
    put: async () => ({ added: { count: 1 } }),
    get: async () => producer,
    results: async () => [],
    list: async () => [producer],
    setPaused: async () => producer,
    remove: async () => true,
    askFor: async () => 1,
    progress: async (askedAt: string) => ({ askedAt, total: 1, answered: 0, outcomes: noOutcomes }),
    counts: async () => ({ total: 0, outcomes: {}, reasons: {}, labels: [], hosts: {}, days: [] }),
  },
  wake: async () => undefined,
  requestsPerSecond: 1,
  publicBadges: false,
} as unknown as AgentsMd;
const claim = { tenantId: 'acme', attemptId: 'a', keyId: 'key_1', by: 'ada', apiTokenName: 'backend', at: 'now' };
const onboardedRecord = { onboarding: { records: [{ purpose: 'spf', required: true }] } } as StoredRecord;
const watched = { ...newWatch('now'), tenantId: 'acme', attemptId: 'a', domainId: 'dom_1', nextCheckAt: null };
const app = buildHttpApp(
  httpDependencies({
    onboardings: {
      start: started,
      restart: started,
      cancel: async () => undefined,
      checkNow: async () => ({ kind: 'done', result: {} as DomainReport }),
      extend: async () => ({ kind: 'done', result: { verificationDeadline: '2026-01-02T03:04:05.000Z' } }),
      wakeUp: async () => true,
    },
    views: {
      get: async () => runningView(),
      of: async () => runningView(),
      list: async () => [],
    },
    register: {
      addEvent: async () => undefined,
      events: async () => [],
      eventRange: async () => ({ oldest: 0, latest: 0 }),
      explainBounce: async () => undefined,
      get: async () => onboardedRecord,
    },
    watchedDomains: { get: async () => watched, mute: async () => watched, unmute: async () => watched },
    claims: { claim: async () => ({ kind: 'claimed', claim, token: 'so_live_token', isReplay: false }) },
    setupLinks: {
      create: async () => ({ token: 'a-token', record: { ...onboardedRecord, endedAt: '2026-01-02T03:04:05.000Z' } }),
      revoke: async () => 2,
      open: async () => undefined,
    },
    agentsMd,
  }),
);
afterAll(() => app.close());

const document = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');

test('docs/http-api.md lists every error code with its status, its meaning and what to do', () => {
  const documented = document.split('\n').filter((line) => /^\| [45]\d\d \| `/.test(line));
  const rows = Object.entries(problemCodes).map(([code, kind]) => {
    const { status, when, remedy } = kind;
    const program = 'only' in kind ? kind.only : 'both';
    return `| ${status} | \`${code as ProblemCode}\` | ${when} | ${remedy} | ${program} |`;
  });
  expect(documented).toEqual(rows);
});

/** The script in bash has a test of its own: test/system/dev.long.test.ts. */
const everyCommand = [...document.replace(/^```bash\n[^]*?^```$/m, '').matchAll(/^curl .*$/gm)].map(
  ([command]) => command,
);
/** A stream has no end: test/http/event-streams.test.ts reads it. */
const isStream = (command: string): boolean => command.startsWith('curl -N ');
/** Those of the email service: test/email-service/http/documented-requests.test.ts sends them. */
const isForSendoff = (command: string): boolean => command.includes(':8080/');
const commands = everyCommand.filter((command) => isForSendoff(command) && !isStream(command));

test('the documented streams exist', async () => {
  await app.ready();
  const paths = everyCommand.filter(isStream).map((command) => /:8080([^']*)'/.exec(command)?.[1] ?? '');
  expect(paths).toEqual(['/events']);
  for (const url of paths) expect(app.hasRoute({ method: 'GET', url })).toBe(true);
});

test.each(commands)('the API accepts %s', async (command) => {
  const [, method = 'GET'] = / -X (\w+)/.exec(command) ?? [];
  const [, url = ''] = /'http:\/\/127\.0\.0\.1:8080([^']*)'/.exec(command) ?? [];
  const [, payload] = / -d '(.*)'$/.exec(command) ?? [];
  const headers = [...command.matchAll(/ -H ["']([^:]+): ([^"']*)["']/g)].map(([, name, value = '']) => [
    name,
    value.replace('$SENDOFF_API_TOKEN', API_TOKEN),
  ]);
  const answer = await app.inject({
    method: method as 'GET',
    url,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(payload === undefined ? {} : { payload }),
  });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
});

test('the documented responses match the schemas', () => {
  // test/email-service/webhooks/documented-webhooks.test.ts checks those.
  const withoutEvents = document.replace(/^### Events of the email service\n[\s\S]*?(?=^## )/m, '');
  const responses = [...withoutEvents.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, json = '']) => JSON.parse(json) as object,
  );
  const known = [
    ...[OnboardingViewSchema, CheckViewSchema].map(({ schema }) => schema),
    ...[ProducerWithResultsSchema, CheckProgressSchema, problemSchema('orchestrator'), ErasedCounts, EmailAccepted],
  ];
  const others = responses.filter((response) => !known.some((schema) => Value.Check(schema, response)));
  expect(responses).toHaveLength(9);
  expect(others).toEqual([{ status: 'ok', temporal: 'ok', database: 'ok' }]);
});
