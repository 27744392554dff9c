// Whatever PUT /onboardings accepts, the email service accepts at every later step: the rules are one, and this holds them
// against the real handlers of both edges.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpApp } from '../src/http/app.ts';
import type { StoredRecord } from '../src/store/onboarding/register.ts';
import type { OnboardTenantInput } from '../src/onboarding/input.ts';
import { email, OPERATOR_TOKEN, startTestApi, type TestApi } from './email-service/support/test-api.ts';
import { type Chances, seededChances } from './support/seeded-chances.ts';
import { httpDependencies, runningView } from './support/http-dependencies.ts';
import { authorization, request } from './support/http-requests.ts';

const RUNS = 250;

let api: TestApi;
let app: FastifyInstance;
let accepted: OnboardTenantInput | undefined;

beforeAll(async () => {
  api = await startTestApi();
  app = buildHttpApp(
    httpDependencies({
      onboardings: {
        ...httpDependencies().onboardings,
        async start(input) {
          accepted = input;
          return { kind: 'started', record: {} as StoredRecord };
        },
      },
      views: { ...httpDependencies().views, of: async () => runningView() },
    }),
  );
});
afterAll(async () => {
  await app.close();
  await api.end();
});

async function put(tenantId: string, body: object): Promise<OnboardTenantInput | undefined> {
  accepted = undefined;
  const answer = await request(app, 'PUT', `/onboardings/${encodeURIComponent(tenantId)}`, body);
  expect([201, 422], answer.body.slice(0, 300)).toContain(answer.statusCode);
  return accepted;
}

/** As the steps of an onboarding call the email service. */
async function expectAcceptedByEmailService(input: OnboardTenantInput, shown: string): Promise<void> {
  const expectAnswer = (answer: Awaited<ReturnType<TestApi['post']>>, status: number): void => {
    expect(answer.statusCode, `${shown}: ${answer.body.slice(0, 500)}`).toBe(status);
  };
  const key = { account: input.tenantId, name: `onboarding/${input.tenantId}` };
  const opened = await api.post('/api-keys', key, { token: OPERATOR_TOKEN });
  expectAnswer(opened, 201);
  const { token } = opened.json<{ token: string }>();
  const registered = await api.post('/domains', { name: input.domain }, { token });
  expectAnswer(registered, 201);
  const domain = registered.json<{ id: string; name: string }>();
  expect(domain.name).toBe(input.domain);
  await api.store.updateTable('domains').set({ status: 'verified' }).where('id', '=', domain.id).execute();
  const name = input.fromName === undefined ? {} : { name: input.fromName };
  const created = await api.post('/senders', { from_address: input.fromAddress, ...name }, { token });
  expectAnswer(created, 201);
  const sender = created.json<{ id: string; from_address: string; name: string | null }>();
  expect(sender).toMatchObject({ from_address: input.fromAddress, name: input.fromName ?? null });
  const { recipient, subject, body } = input.firstEmail;
  const sent = await api.post('/emails', email(sender.id, { recipient, subject, body }), { token, key: 'first' });
  expectAnswer(sent, 202);
}

const LETTERS = ['a', 'z', 'A', 'Q', '0', '9', '-', 'xn--', '_', 'ü', '\u212a', '.', ' ', '\u0000'];
const WORDS = [
  'acme',
  'mail',
  'ACME',
  'xn--bcher-kva',
  'xn--a',
  'xn--',
  'xn--zzzzzz',
  'XN--BCHER-KVA',
  'bücher',
  '123',
  'a-',
];
const SUFFIXES = ['test', 'com', 'co.uk', 'github.io', 'example', '123', 'TEST', 'xn--p1ai', 'c', 'xn--0'];

function label(chances: Chances): string {
  if (chances.once(2)) return chances.pick(WORDS);
  const length = chances.once(3) ? chances.pick([60, 62, 63, 64]) : chances.between(1, 12);
  let text = '';
  while (text.length < length) text += chances.once(30) ? chances.pick(LETTERS) : chances.pick(['a', 'b', '7', 'Z']);
  return text;
}

function domainName(chances: Chances): string {
  const labels = Array.from({ length: chances.below(5) }, () => label(chances));
  const name = [...labels, chances.pick(SUFFIXES)].join('.');
  return chances.once(25) ? `${name}.` : name;
}

function localPart(chances: Chances): string {
  if (chances.once(5)) return 'a'.repeat(chances.pick([1, 63, 64, 65]));
  if (chances.once(3))
    return chances.pick(['Hello', "o'neil+tag", 'a.b', 'a..b', '.a', '"a b"', 'ä', 'a b', '', 'x\u0085']);
  return 'hello';
}

const CHARACTERS = [
  ...['a', ' ', '中', 'é', '😀', '\t', '\n', '\r\n', '\f', '\v', '\u0000', '\u0007', '\u007f', '\u0080', '\u0085'],
  ...[
    '\u009f',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u2028',
    '\ud800',
    '\udc00',
    '\ufeff',
    '\uffff',
    '"',
    '\\',
    '=?utf-8?B?SGk=?=',
  ],
];

function text(chances: Chances, lengths: readonly number[]): string {
  const base = chances.pick(['a', 'é', '中', '😀']);
  const long = base.repeat(chances.once(4) ? chances.pick(lengths) : chances.below(20));
  return chances.once(2) ? long : `${long}${chances.pick(CHARACTERS)}${long.slice(0, 5)}`;
}

function sender(chances: Chances, address: string): object {
  if (chances.once(2)) return { fromAddress: address };
  const name = text(chances, [199, 200, 201]);
  if (chances.once(3)) return { fromAddress: address, fromName: name };
  const phrase = chances.once(3) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
  return { fromAddress: `${phrase} <${address}>` };
}

function onboarding(chances: Chances): object {
  const domain = chances.once(4)
    ? domainName(chances)
    : chances.pick(['acme.test', 'Mail.ACME.test', `${'a'.repeat(63)}.test`]);
  const on = chances.once(10) ? domainName(chances) : chances.once(3) ? domain.toUpperCase() : domain;
  return {
    domain,
    ...sender(chances, `${localPart(chances)}@${on}`),
    firstEmail: {
      recipient: chances.once(3) ? `${localPart(chances)}@${domainName(chances)}` : 'Ada@Inbox.test',
      subject: text(chances, [498, 499, 500, 997, 998, 999]),
      body: text(chances, [249_999, 250_001, 333_333, 400_000, 499_999, 999_990, 1_000_000, 1_000_001]),
    },
  };
}

test(`of ${RUNS} inputs, all that PUT /onboardings accepts are accepted by the email service`, async () => {
  let acceptances = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const chances = seededChances(seed);
    const tenantId = `${chances.once(20) ? 'T._-'.repeat(30) : 't'}${seed}`;
    const input = await put(tenantId, onboarding(chances));
    if (input === undefined) continue;
    acceptances++;
    await expectAcceptedByEmailService(input, `seed ${seed}`);
  }
  // Neither edge of the rules is left out.
  expect(acceptances).toBeGreaterThan(RUNS / 20);
  expect(acceptances).toBeLessThan(RUNS / 1.2);
}, 300_000);

test.each([
  ['the largest body, every character escaped in JSON', { body: '\n'.repeat(1_000_000) }],
  ['the largest body of three-byte characters', { body: '中'.repeat(333_333) }],
  ['the longest subject', { subject: '😀'.repeat(998) }],
])('%s passes both edges', async (_name, changes) => {
  const firstEmail = { recipient: 'ada@inbox.test', subject: 'Hi', body: 'It works.', ...changes };
  const tenantId = `largest-${_name.length}`;
  const input = await put(tenantId, { domain: 'acme.test', fromAddress: 'a@acme.test', firstEmail });
  if (input === undefined) throw new Error(`${_name} is refused by PUT /onboardings`);
  await expectAcceptedByEmailService(input, _name);
});

test('a body escaped to ASCII is measured by its decoded length', async () => {
  const firstEmail = { recipient: 'ada@inbox.test', subject: 'Hi', body: 'é'.repeat(500_000) };
  const payload = JSON.stringify({ domain: 'acme.test', fromAddress: 'a@acme.test', firstEmail }).replaceAll(
    'é',
    '\\u00e9',
  );
  const answer = await app.inject({
    method: 'PUT',
    url: '/onboardings/escaped',
    headers: { authorization, 'content-type': 'application/json' },
    payload,
  });
  expect(answer.statusCode).toBe(201);
});
