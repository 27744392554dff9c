import { stepRows, undoableRows } from '../../onboarding/steps.ts';
import {
  type Bench,
  type GroupCase,
  expectHeld,
  expectOnboarded,
  expectUndone,
  expectThat,
} from '../conformance-case.ts';
import type { RelayFault, RelayedExchange, RelayReply } from '../../dev/relay.ts';
import { tenantsHaveKeys } from './key-and-deliver.ts';
import { hitEachOnce, isPost, loseEachOnce } from './whole-and-once.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const json = (status: number, content: object, headers: Record<string, string> = {}): RelayReply => ({
  ...{ status, body: JSON.stringify(content), headers: { ...JSON_TYPE, ...headers } },
});
/** With it a body is longer than the megabyte that is read of one. */
const HUGE = 'x'.repeat(2_000_000);

/** A page of something between us and the provider, which knows none of its words. */
const page = (status: number): RelayReply => ({
  status,
  body: '<html>no</html>',
  headers: { 'content-type': 'text/html' },
});

const untouched: Readonly<Record<string, RelayFault['answer']>> = {
  'a 429 without Retry-After': json(429, {}),
  'a 500': json(500, {}),
  'a 502 with a page': page(502),
  'a 503': json(503, {}),
  'a 504 with a page': page(504),
  'a 403 with a page': page(403),
  'a redirect to another server': { status: 307, body: '', headers: { location: 'http://192.0.2.1/' } },
  'a connection that breaks': 'reset',
};

const acted: Readonly<Record<string, RelayFault['answer']>> = {
  'a 500': json(500, {}),
  'a 502 with a page': page(502),
  'a 504 with a page': page(504),
  'a success without content': { status: 200, body: '' },
  'a success with a page': page(200),
  'a success with cut JSON': { status: 200, body: '{"id":"', headers: JSON_TYPE },
  'a success that ends too early': 'cut',
  'a success of 2 MB': { status: 200, body: `{"id":"${HUGE}"}`, headers: JSON_TYPE },
};

/** Each creating request of an onboarding gets the fault, each once. */
async function onboardThrough(bench: Bench, fault: RelayFault): Promise<void> {
  const acme = bench.tenant();
  const hit = hitEachOnce(bench.installation, isPost, fault);
  await expectOnboarded(bench, acme);
  expectThat(hit.size > 1, 'no request had the fault');
  await expectUndone(acme);
}

export const brokenCases: readonly GroupCase[] = [
  ...Object.entries(untouched).map(([name, answer]): GroupCase => ({
    name: `${name} in place of an answer, and the provider did nothing`,
    targets: ['embedded', 'fake'],
    run: (bench) => onboardThrough(bench, { when: 'before', answer }),
  })),
  ...Object.entries(acted).map(([name, answer]): GroupCase => ({
    name: `${name} in place of an answer, and the provider acted`,
    targets: ['embedded', 'fake'],
    run: (bench) => onboardThrough(bench, { when: 'after', answer }),
  })),
  {
    name: 'the page of a proxy in place of every answer, for a quarter of an hour, ends nothing and deletes nothing',
    targets: ['fake'],
    async run(bench) {
      for (const status of PAGE_STATUSES) await onboardBehindProxy(bench, status);
    },
  },
];

const PAGE_STATUSES = [400, 404];
/** Longer than an answer that ends an onboarding must repeat. */
const PROXY_MS = 15 * 60_000;

/** Each kind of request gets the page of a proxy in place of every answer, for a while. */
async function onboardBehindProxy(bench: Bench, status: number): Promise<void> {
  const { tenant, installation } = bench;
  const acme = tenant();
  const since = new Map<string, number>();
  installation.relay.fault = ({ method, path }) => {
    // An onboarding does without a webhook sooner.
    if (path.includes('webhooks')) return undefined;
    const key = `${method} ${path}`;
    const begun = since.get(key) ?? installation.now();
    since.set(key, begun);
    return installation.now() - begun < PROXY_MS ? { when: 'before', answer: page(status) } : undefined;
  };
  await expectOnboarded(bench, acme);
  await expectUndone(acme);
}

/** The pause before the attempt after an answer to the first creating request. */
async function pauseAfter({ tenant, installation, farEnd }: Bench, headers: Record<string, string>): Promise<number> {
  const acme = tenant();
  let isRefused = false;
  let refusedAt = 0;
  installation.relay.fault = (exchange) => {
    if (!isPost(exchange) || isRefused) return undefined;
    isRefused = true;
    refusedAt = installation.now();
    return { when: 'before', answer: json(429, {}, headers) };
  };
  await acme.runTo('registerDomain');
  expectThat(isRefused, 'no request was refused');
  const pausedMs = installation.now() - refusedAt;
  await acme.onboard();
  expectHeld(await acme.held(), farEnd.whole);
  await acme.undo();
  return pausedMs;
}

export const limitCases: readonly GroupCase[] = [
  {
    name: 'Retry-After in seconds is waited for',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const pausedMs = await pauseAfter(bench, { 'retry-after': '7' });
      expectThat(pausedMs === 7_000, `the next attempt came after ${pausedMs} ms`);
    },
  },
  {
    name: 'Retry-After as a date is waited for',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const pausedMs = await pauseAfter(bench, { 'retry-after': new Date(Date.now() + 120_000).toUTCString() });
      expectThat(pausedMs > 100_000 && pausedMs <= 120_000, `the next attempt came after ${pausedMs} ms`);
    },
  },
  {
    name: 'Retry-After of 0 does not repeat the request at once',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const pausedMs = await pauseAfter(bench, { 'retry-after': '0' });
      expectThat(pausedMs >= 1_000, `the next attempt came after ${pausedMs} ms`);
    },
  },
];

export const undoCases: readonly GroupCase[] = [
  {
    name: 'an undo after each step leaves nothing, with each deletion repeated',
    async run({ tenant }) {
      for (const { step } of stepRows) {
        const acme = tenant();
        await acme.runTo(step);
        await expectUndone(acme, { times: 2 });
      }
    },
  },
  {
    name: 'an undo leaves nothing although the answers to the creating requests never came',
    targets: ['embedded', 'fake'],
    async run({ tenant, installation: { relay } }) {
      for (const [at, { step }] of undoableRows.entries()) {
        const acme = tenant();
        const before = undoableRows[at - 1];
        if (before !== undefined) await acme.runTo(before.step);
        if (step === 'createSender') await acme.verify();
        relay.fault = (exchange) => (isPost(exchange) ? { when: 'after', answer: 'reset' } : undefined);
        await acme.perform(step, { attempts: 1 }).catch(() => undefined);
        relay.fault = () => undefined;
        await expectUndone(acme);
      }
    },
  },
  {
    name: 'an undo leaves nothing although each answer to a deletion is lost once',
    async run({ tenant, installation }) {
      const acme = tenant();
      await acme.onboard();
      loseEachOnce(installation, ({ method, path }) => method === 'DELETE' || path.endsWith('/delete'));
      await expectUndone(acme);
    },
  },
];

/** Of each provider; of SES, the signature of one request is none. */
const CREDENTIAL_HEADERS = ['authorization', 'x-postmark-account-token', 'x-postmark-server-token'];

export const credentialsOf = ({ requestHeaders }: RelayedExchange): string[] =>
  CREDENTIAL_HEADERS.map((name) => String(requestHeaders[name] ?? '').replace(/^Bearer /, '')).filter(
    (value) => value !== '' && !value.startsWith('AWS4-'),
  );

export const secretCases: readonly GroupCase[] = [
  {
    name: 'no credential is in a failure, an event or the register, although the provider repeats it',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const { tenant, farEnd, installation } = bench;
      const acme = tenant();
      const repeated = new Set<string>();
      const secrets = new Set([farEnd.credential]);
      installation.relay.fault = (exchange) => {
        const sent = credentialsOf(exchange);
        for (const secret of sent) secrets.add(secret);
        const key = `${exchange.method} ${exchange.path}`;
        if (repeated.has(key)) return undefined;
        repeated.add(key);
        const all = sent.join(' ');
        const content = {
          statusCode: 500,
          name: all,
          message: all,
          ErrorCode: 100,
          Message: all,
          code: all,
          detail: all,
          title: all,
        };
        return {
          when: 'before',
          answer: json(500, content, {
            'x-request-id': 'r',
            location: `http://127.0.0.1/?key=${encodeURIComponent(all)}`,
          }),
        };
      };
      await expectOnboarded(bench, acme);
      const events = await installation.register.events({ after: 0, limit: 1_000 });
      const seen = JSON.stringify([
        installation.failures.map((failure) => [String(failure), failure, (failure as Error).stack]),
        ...[events, await acme.recorded(), acme.ids],
      ]);
      expectThat(repeated.size > 2, 'no answer had the credential');
      for (const secret of secrets)
        expectThat(!seen.includes(secret), `a credential of ${secret.length} characters is shown`);
      await acme.undo();
    },
  },
  {
    name: 'different tenants have different keys',
    concerns: tenantsHaveKeys,
    async run({ tenant }) {
      const tenants = [tenant(), tenant()];
      const keys = new Set<string | undefined>();
      for (const one of tenants) {
        await one.onboard();
        keys.add((await one.issuedKey())?.secret);
      }
      expectThat(keys.size === tenants.length, 'two tenants have the same key');
      for (const one of tenants) await one.undo();
    },
  },
];
