import { expect, test } from 'vitest';
import { differences, recorded, recordingText } from '../../src/conformance/recording.ts';

test.each([
  ['GET', '/domains/5f2b', 'GET /domains/{id}'],
  ['GET', '/servers?name=so-1&count=100', 'GET /servers?count&name'],
  ['PUT', '/domains/17/verifyDKIM', 'PUT /domains/{id}/verifyDKIM'],
  ['PUT', '/v2/email/identities/acme.test/mail-from', 'PUT /v2/email/identities/{id}/mail-from'],
  [
    'POST',
    '/v2/email/configuration-sets/acme/event-destinations',
    'POST /v2/email/configuration-sets/{id}/event-destinations',
  ],
  ['GET', '/v2/email/identities/a%40b', 'GET /v2/email/identities/{id}'],
])('%s %s is recorded as %s', (method, path, operation) => {
  const exchange = { method, path, requestHeaders: {}, requestBody: '' };
  expect(recorded(exchange, { status: 200, body: '{}' }).operation).toBe(operation);
});

test('what is recorded of an answer is words and lengths', () => {
  const body = JSON.stringify({
    ...{ name: 'acme.test', status: 'verified', id: 7, 'ada@acme.test': true, region: 're_1234' },
    list: [{ type: 'TXT', value: 'secret' }],
  });
  const exchange = { method: 'GET', path: '/', requestHeaders: {}, requestBody: 'To=ada' };
  expect(recorded(exchange, { status: 200, body, headers: { 'x-id': '7', 'retry-after': '1' } })).toEqual({
    operation: 'GET /',
    request: 'text(6)',
    status: 200,
    headers: { 'retry-after': '1' },
    answer: {
      ...{ name: 'string(9)', status: 'verified', id: 0, '{name}': true, region: 'string(7)' },
      list: [{ type: 'TXT', value: 'string(6)' }],
    },
  });
  const about = { provider: 'resend', target: 'live', version: '0.1.0', at: 'verified' } as const;
  expect(() => recordingText({ ...about, exchanges: [] }, ['verified'])).toThrow('would show a credential');
});

test('what a provider answers otherwise than its simulation is named', () => {
  const answered = (answer: object, operation = 'GET /domains/{id}') => ({
    operation,
    status: 200,
    headers: {},
    answer,
  });
  const simulated = [answered({ id: 'string(4)', records: [{ status: 'verified' }], region: 'string(4)' })];
  expect(differences(simulated, simulated)).toEqual([]);
  expect(
    differences(
      [answered({ id: 'string(36)', records: [{ status: 'new', ttl: 0 }] }), answered({}, 'GET /')],
      simulated,
    ),
  ).toEqual([
    'GET /domains/{id} 200: records[].ttl is not in the simulation',
    'GET /domains/{id} 200: region is in the simulation alone',
    'GET /domains/{id} 200: records[].status = new is a value that the simulation never gives',
    'GET / 200: the simulation never answers so',
  ]);
});
