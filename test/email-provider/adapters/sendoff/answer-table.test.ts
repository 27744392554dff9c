import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerTable } from '../../../../src/email-provider/adapters/sendoff/answer-table.ts';
import { codeFields, detailFields } from '../../../../src/email-provider/adapters/sendoff/read-problem.ts';
import { envelopes, fieldNames } from '../../../../src/email-provider/adapters/sendoff/wire-names.ts';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import { type AnswerServer, untypedAnswer, startAnswerServer } from '../../../support/answer-server.ts';

let server: AnswerServer;
let provider: HttpEmailProvider;

beforeAll(async () => {
  server = await startAnswerServer();
  provider = createHttpEmailProvider({ baseUrl: server.baseUrl, operatorToken: 'operator' });
});
afterAll(async () => {
  await provider.close();
  await server.close();
});

const key = { idempotencyKey: 'k' };
const account = () => provider.withKey('so_live_token');
/** By what the table calls them. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'POST /api-keys': () => provider.createApiKey({ account: 'acme', name: 'n' }, key),
  'POST /webhooks': () => account().createWebhook({ url: 'https://a.test/', events: [] }, key),
  'POST /domains': () => account().createDomain({ name: 'acme.test' }, key),
  'POST /senders': () => account().createSender({ fromAddress: 'a@acme.test' }, key),
  'POST /emails': () => account().sendEmail({ senderId: 's', recipient: 'b@c.test', subject: 's', body: 'b' }, key),
  'GET /domains/:id': () => account().getDomain('dom_1'),
  'GET /emails/:id': () => account().getEmail('eml_1'),
  'POST /domains/:id/verify': () => account().requestVerification('dom_1', key),
  'DELETE /api-keys/:id': () => provider.revokeApiKey('key_1'),
  'DELETE /webhooks/:id': () => account().deleteWebhook('whk_1'),
  'DELETE /domains/:id': () => account().deleteDomain('dom_1'),
  'DELETE /senders/:id': () => account().deleteSender('snd_1'),
};
const every = Object.keys(calls);
const VERIFY = 'POST /domains/:id/verify';
/** What an onboarding can do without. */
const optional = ['POST /webhooks', VERIFY, ...every.filter((call) => call.startsWith('DELETE'))];
const creates = every.filter((call) => call.startsWith('POST') && call !== VERIFY);
const byId = every.filter((call) => !call.startsWith('POST'));
const except = (...left: string[]): string[] => every.filter((call) => !left.includes(call));

interface Given {
  readonly status: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a call comes to; `worked` is a success, `no answer` one that cannot be read. */
async function outcomeOf(call: string, { status, type = 'application/problem+json', headers, body }: Given) {
  server.answer = (_request, response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
  try {
    await calls[call]?.();
    return 'worked';
  } catch (error) {
    if (error instanceof ProviderError) return error.meaning;
    if (error instanceof ProviderUnreachable) return 'no answer';
    throw error;
  }
}

const problem = (status: number, code: string): Given => ({ status, body: JSON.stringify({ code, status }) });
const html = (status: number): Given => ({ status, type: 'text/html', body: '<html><h1>Blocked</h1></html>' });

describe('an answer with a code of the contract', () => {
  test.each([
    [429, 'rate_limited', 'transient', every],
    [408, 'request_timeout', 'transient', every],
    [425, 'too_early', 'transient', every],
    [401, 'invalid_api_key', 'transient', every],
    [403, 'insufficient_scope', 'transient', every],
    [404, 'not_found', 'gone', byId],
    [410, 'not_found', 'gone', byId],
    [404, 'not_found', 'transient', creates.filter((call) => call !== 'POST /webhooks')],
    [409, 'idempotency_in_progress', 'transient', every],
    [409, 'already_exists', 'exists', ['POST /domains', 'POST /senders']],
    [409, 'already_exists', 'transient', except('POST /domains', 'POST /senders', VERIFY)],
    [413, 'payload_too_large', 'refused', creates],
    [413, 'payload_too_large', 'transient', byId],
    [422, 'domain_not_verified', 'notVerified', ['POST /senders', 'POST /emails']],
    [422, 'domain_not_verified', 'transient', except('POST /senders', 'POST /emails', VERIFY)],
    [422, 'idempotency_key_reused', 'keyReused', creates],
    [422, 'validation_failed', 'refused', creates],
    [422, 'validation_failed', 'transient', byId],
    [400, 'malformed_json', 'transient', except(VERIFY)],
    [415, 'unsupported_media_type', 'transient', except(VERIFY)],
    [500, 'internal_error', 'transient', every],
    [503, 'unavailable', 'transient', every],
  ] as const)('%i %s means %s', async (status, code, meaning, where) => {
    for (const call of where) {
      expect(await outcomeOf(call, problem(status, code)), call).toBe(meaning);
    }
  });

  test('means the same without the media type of problem details', async () => {
    const given = { ...problem(404, 'not_found'), type: 'text/plain' };
    expect(await outcomeOf('DELETE /domains/:id', given)).toBe('gone');
  });

  test.each([
    [400, 'not_found'],
    [403, 'not_found'],
    [502, 'not_found'],
    [400, 'validation_failed'],
    [302, 'validation_failed'],
    [403, 'domain_not_verified'],
  ])('%i %s, whose code belongs to another status, is an outage', async (status, code) => {
    for (const call of except(VERIFY, 'POST /webhooks')) {
      expect(await outcomeOf(call, problem(status, code)), call).toBe('transient');
    }
  });
});

describe('an answer without a code of the contract is an outage', () => {
  const strangers = [
    ...[300, 301, 302, 303, 304, 307, 308],
    ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 418, 421, 422, 423, 424, 425, 426],
    ...[428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507, 508, 511, 520, 522, 525, 530, 599],
  ];
  test.each(strangers)('%i', async (status) => {
    const answers: Given[] = [
      html(status),
      { status },
      { status, body: '{"message":"no Route matched with those values"}' },
      { status, body: '{"error":{"code":"404"}}' },
      { status, body: '{"code":404}' },
      { status, body: '{"code":"not_found' },
      { status, body: '"not_found"' },
      { status, body: 'null' },
      problem(status, 'NOT_FOUND'),
      problem(status, 'blocked_by_policy'),
      { status, headers: { 'content-encoding': 'gzip' }, body: '\u001f\u008b' },
    ];
    // The specification has one meaning of a 422, whatever shape its error has.
    const meant = status === 422 ? ['POST /senders'] : [];
    for (const given of answers) {
      const named = given.body?.includes('"code":"NOT_FOUND"') === true || given.body?.includes('blocked_by') === true;
      for (const call of except(...optional, ...(named ? [] : meant))) {
        expect(await outcomeOf(call, given), `${call} ${given.body}`).toBe('transient');
      }
    }
  });

  test.each([200, 201, 202, 203, 205, 206, 226, 299])(
    'a %i with a page or another shape is no answer',
    async (status) => {
      // The fields of a webhook are all optional, and an empty object is a deletion.
      const bodies = ['<html>Log in</html>', '{"login":"required"}', '[]', '7', 'null', '{"id":', '{"id":null}'];
      for (const body of bodies) {
        const isRead = [200, 201, 202].includes(status) && !['<html>Log in</html>', '{"id":'].includes(body);
        for (const call of except(VERIFY, 'POST /webhooks')) {
          const isCreation = isRead && call.startsWith('POST');
          expect(await outcomeOf(call, { status, body }), `${call} ${body}`).toBe(isCreation ? 'unread' : 'no answer');
        }
      }
    },
  );

  test('a success with no content is a deletion, the refusal of a creation, and no answer to a GET', async () => {
    for (const status of [200, 202, 204]) {
      for (const call of except(VERIFY, 'POST /webhooks')) {
        const expected = call.startsWith('DELETE') ? 'worked' : call.startsWith('POST') ? 'unread' : 'no answer';
        expect(await outcomeOf(call, { status }), `${call} ${status}`).toBe(expected);
      }
    }
  });

  test('a body that is cut off is no answer', async () => {
    for (const status of [200, 404, 422]) {
      const given = { ...problem(status, 'not_found'), headers: { 'content-length': '1000' } };
      server.answer = (_request, response) => {
        response.writeHead(given.status, given.headers).write(given.body);
        response.socket?.destroySoon();
      };
      for (const call of except(VERIFY)) {
        expect(await calls[call]?.().catch((error: unknown) => error), call).toBeInstanceOf(ProviderUnreachable);
      }
    }
  });

  test('a resource with another id than the one asked for is no answer', async () => {
    const domain = { id: 'dom_2', name: 'acme.test', status: 'verified', records: [] };
    expect(await outcomeOf('GET /domains/:id', { status: 200, body: JSON.stringify(domain) })).toBe('no answer');
    expect(await outcomeOf('GET /emails/:id', { status: 200, body: '{"id":"eml_2","status":"bounced"}' })).toBe(
      'no answer',
    );
  });
});

describe('a call that the onboarding can do without', () => {
  test.each([404, 405, 501])('answered %i without a code is unsupported', async (status) => {
    for (const call of optional.filter((each) => each !== VERIFY)) {
      expect(await outcomeOf(call, html(status)), call).toBe('unsupported');
    }
    expect(await outcomeOf('POST /webhooks', problem(status, 'not_found'))).toBe('unsupported');
  });

  test.each([400, 403, 404, 405, 409, 422, 501])('POST /domains/:id/verify answered %i is ignored', async (status) => {
    expect(await outcomeOf(VERIFY, html(status))).toBe('worked');
  });
});

describe('a sender of a domain that is not verified', () => {
  const code = 'domain_not_verified';
  test.each([
    { code },
    { error: code },
    { error: { code, message: 'Not verified' } },
    { error: { type: code } },
    { errors: [{ code }] },
    { data: { error: { code } } },
    [{ code }],
    { statusCode: 422, name: code, message: 'Not verified' },
    { errorCode: code },
    { type: `https://provider.test/problems/${code}` },
    { message: 'The domain is not verified' },
  ])('%j leads back to the domain, whatever the shape of the error', async (body) => {
    server.answer = untypedAnswer(422, body);
    const error: unknown = await calls['POST /senders']?.().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ meaning: 'notVerified', code });
  });
});

describe('docs/provider-answers.md', () => {
  const page = readFileSync(new URL('../../../../docs/provider-answers.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| (?:`?\dxx|`?\d{3}|`?any)/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
        .slice(1, -1),
    );

  test('shows the table, row by row', () => {
    const shown = answerTable.map(([status, code, meaning, why, where]) => [
      status,
      code,
      where === undefined ? 'any' : where.join(', '),
      meaning,
      why.replaceAll('`', ''),
    ]);
    expect(rows).toEqual(shown);
  });

  test('names every alternative that is read', () => {
    for (const [field, names] of Object.entries(fieldNames)) {
      expect(page).toContain(`| ${field} | ${names.map((name) => `\`${name}\``).join(', ')} |`);
    }
    for (const name of [...envelopes, ...codeFields, ...detailFields]) expect(page).toContain(`\`${name}\``);
  });
});
