// What the email service sends arrives: an object made from its schema, with every field set, comes back equal from the client,
// but for the fields that are left out here by name. So a field that is added to the wire and dropped by the client fails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { DomainResource } from '../../../../src/email-service/resources/domain.ts';
import { EmailResource } from '../../../../src/email-service/resources/email.ts';
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

const account = () => provider.withKey('so_live_token');
const create = { idempotencyKey: 'k' };
const outgoing = { senderId: 'snd_1', recipient: 'ada@inbox.test', subject: 's', body: 'b' };

/** By their place in the answer, each with the reason why the onboarding needs no such field. */
const leftOut = {
  domain: {
    'records.value_chunks': 'follows from the value',
    'records.ttl': 'a recommendation for zone files of the provider',
    'records.remove_after': 'then the record has the finding key_replaced',
    'records.checked_at': 'the register has the time of its own check',
    'records.findings.severity': 'the status of the record says it',
    'records.findings.expected': 'the value of the record',
    'records.findings.server': 'a part of the fix',
    tls: 'an onboarding leaves it as it is',
    created_at: 'the register has the times of the onboarding',
    verified_at: 'as created_at',
    drifted_at: 'the register has the time of its own check',
    sends_until: 'the status says whether the domain may send',
  },
  email: {
    sender_id: 'what was sent is known',
    recipient: 'as sender_id',
    role: 'an onboarding sends to one recipient',
    recipients: 'as role',
    subject: 'as sender_id',
    attachments: 'an onboarding sends with none',
    metadata: 'as sender_id',
    tags: 'an onboarding sends with none',
    message_id: 'the email is known by its id',
    attempts: 'read as the one text last_attempt',
    'bounce.permanent': 'F3 never sends to the address again',
    'bounce.attempt': 'a bounce is final',
    suppression_override: 'an onboarding sends with none',
    late_bounce: 'an onboarding ends with the delivery, before one can come',
    complaint: 'as late_bounce',
    erased_at: 'as late_bounce',
    created_at: 'the register has the times of the onboarding',
    scheduled_at: 'an onboarding sends at once',
    expires_at: 'the onboarding has a deadline of its own',
  },
} as const;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** A value of the schema with all optional fields and lists of two; each text is its own place, so that none is taken for another. */
function complete(schema: Schema, place = 'it'): unknown {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((each) => each !== 'null');
  if (schema.enum !== undefined) return schema.enum.at(-1);
  if (schema.format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (type === 'array') return [0, 1].map((at) => complete(schema.items ?? {}, `${place}-${at}`));
  if (type === 'boolean') return true;
  if (type === 'integer') return 550;
  if (type === 'string') return `${place}.acme.test`;
  if (type !== 'object') throw new Error(`${place}: no value for ${JSON.stringify(schema)}`);
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, complete(field, `${place}-${name}`)]),
  );
}

/** What was read, in the names of the wire. */
function onTheWire(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(onTheWire);
  if (typeof read !== 'object' || read === null) return read;
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      onTheWire(value),
    ]),
  );
}

function without(value: unknown, places: readonly string[], at = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, places, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      places.includes(at + name) ? [] : [[name, without(field, places, `${at}${name}.`)]],
    ),
  );
}

test.each([
  ['POST /domains', () => account().createDomain({ name: 'it-name.acme.test' }, create)],
  ['GET /domains/:id', () => account().getDomain('it-id.acme.test')],
])('every field of the domain in the answer to %s arrives', async (_call, read) => {
  const sent = complete(DomainResource as Schema);
  server.answer = untypedAnswer(200, sent);
  expect(onTheWire(await read())).toEqual(without(sent, Object.keys(leftOut.domain)));
});

test.each([
  ['POST /emails', () => account().sendEmail(outgoing, create)],
  ['GET /emails/:id', () => account().getEmail('it-id.acme.test')],
])('every field of the email in the answer to %s arrives', async (_call, read) => {
  const sent = complete(EmailResource as Schema);
  server.answer = untypedAnswer(200, sent);
  const { last_attempt: lastAttempt, ...email } = onTheWire(await read()) as Record<string, unknown>;
  expect(email).toEqual(without(sent, Object.keys(leftOut.email)));
  expect(lastAttempt).toBe('unknown: it-attempts-1-diagnostic.acme.test');
});

test('only fields that the email service has are left out', () => {
  for (const [schema, fields] of [
    [DomainResource, leftOut.domain],
    [EmailResource, leftOut.email],
  ] as const) {
    const all = JSON.stringify(complete(schema as Schema));
    for (const place of Object.keys(fields)) expect(all).toContain(`"${place.split('.').at(-1)!}":`);
  }
});
