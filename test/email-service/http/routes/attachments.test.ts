import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmailResource } from '../../../../src/email-service/resources/email.ts';
import { removals } from '../../../../src/email-service/store/expired-rows.ts';
import { deliverEmailStart } from '../../../../src/email-service/store/outbox.ts';
import { sealingContext } from '../../../../src/email-service/store/sealed-secrets.ts';
import { firstAttemptsOverSmtp } from '../../support/first-attempts-over-smtp.ts';
import { email, idOf, type SendingApi, startSendingApi } from '../../support/test-api.ts';

let api: SendingApi;
let server: SMTPServer;
let messages: string[];
let refuses: boolean;
beforeEach(async () => {
  api = await startSendingApi();
  messages = [];
  refuses = false;
  server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], size: 20_000_000, closeTimeout: 1 },
    onData(stream, _session, done) {
      void buffer(stream).then((message) => {
        messages.push(message.toString('latin1'));
        done(refuses ? Object.assign(new Error('later'), { responseCode: 451 }) : null);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
});
afterEach(async () => {
  await new Promise<void>((resolve) => {
    server.close(resolve);
  });
  await api.end();
});

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64');
const file = (filename: string, bytes: Buffer | string = filename, more: object = {}) => ({
  ...{ filename, content: base64(bytes) },
  ...more,
});
const get = async (id: string) => (await api.get(`/emails/${id}`)).json<EmailResource>();
const chunks = async () =>
  (await api.store.selectFrom('attachment_chunks').select(['content_id', 'number']).execute()).length;

/** The messages that a mail server receives. */
async function received(...ids: readonly string[]): Promise<readonly string[]> {
  const { store, sealer } = api;
  const firstAttempts = firstAttemptsOverSmtp({
    store,
    sealer,
    smtpPort: (server.server.address() as AddressInfo).port,
    now: () => api.clock.time,
  });
  const before = messages.length;
  for (const id of ids)
    firstAttempts.begin({ start: deliverEmailStart(id), accountId: 'acc_1', destination: 'x.test' });
  for (const id of ids) await firstAttempts.ended(deliverEmailStart(id).workflowId);
  await firstAttempts.stop();
  return messages.slice(before);
}

async function dkim(message: string): Promise<string | undefined> {
  const domain = await api.store.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
  const privateKey = api.sealer.open(domain.sealed_dkim_private_key, sealingContext.dkimKey(domain.id));
  const p = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  const { results } = await dkimVerify(Buffer.from(message, 'latin1'), { resolver: async () => [[`v=DKIM1; p=${p}`]] });
  return results[0]?.status.result;
}

const read = (message: string) => PostalMime.parse(Buffer.from(message, 'latin1'));
const digest = (bytes: string | ArrayBuffer | Uint8Array): string =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    .digest('hex');

describe('an email with attachments', () => {
  test('arrives with each, signed, in lines that every server takes', async () => {
    const files = [
      file('invoice.pdf', randomBytes(300_001)),
      file('empty.txt', ''),
      file('Rechnung für Zoë 📎.pdf', 'Ü'),
      file('a "quoted"; name=x.csv', 'a,b\n'),
      file(`${'long-'.repeat(50)}.txt`, randomBytes(57)),
      file(`${'長'.repeat(80)}.txt`, randomBytes(58)),
      file('invite.ics', 'BEGIN:VCALENDAR\n', { content_type: 'text/calendar; method=REQUEST; charset="utf-8"' }),
      file('forwarded.eml', 'From: a@b.test\r\n\r\nHi'),
      file('.', 'dot'),
    ];
    const html = '<p>Hi <img src="cid:logo@acme"></p>';
    const image = file('logo.png', randomBytes(1_000), { content_id: 'logo@acme' });
    const body = '.\n..dots\n\x09tab =AQ==\n';
    const id = await idOf(api.send({ body, html, attachments: [...files.slice(0, 3), image, ...files.slice(3)] }));
    const [message = ''] = await received(id);
    expect(message).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    const lines = message.split('\r\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(await dkim(message)).toBe('pass');
    expect(await dkim(message.replace(/[A-Za-z0-9+/]{76}\r\n/, `${'A'.repeat(76)}\r\n`))).not.toBe('pass');
    const parsed = await read(message);
    expect(parsed.text?.replaceAll('\r\n', '\n').trim()).toBe(body.trim());
    expect(parsed.html?.trim()).toBe(html);
    const arrived = parsed.attachments.map(({ filename, content, contentId, disposition, related }) => [
      ...[filename, digest(content), contentId, disposition, related],
    ]);
    expect(arrived).toEqual([
      ['logo.png', digest(Buffer.from(image.content, 'base64')), '<logo@acme>', 'inline', true],
      ...files.map(({ filename, content }) => [
        ...[filename, digest(Buffer.from(content, 'base64')), undefined, 'attachment', undefined],
      ]),
    ]);
    expect(parsed.attachments.map(({ mimeType }) => mimeType)).toEqual([
      ...['image/png', 'application/pdf', 'text/plain', 'application/pdf', 'text/csv', 'text/plain', 'text/plain'],
      ...['text/calendar', 'application/octet-stream', 'application/octet-stream'],
    ]);
    expect((await get(id)).attachments).toEqual([
      { filename: 'invoice.pdf', content_type: 'application/pdf', size: 300_001 },
      { filename: 'empty.txt', content_type: 'text/plain', size: 0 },
      { filename: 'Rechnung für Zoë 📎.pdf', content_type: 'application/pdf', size: 2 },
      { filename: 'logo.png', content_type: 'image/png', content_id: 'logo@acme', size: 1_000 },
      ...files.slice(3).map(({ filename, content }) => ({
        ...{ filename, content_type: expect.any(String) as string },
        size: Buffer.from(content, 'base64').length,
      })),
    ]);
    const listed = (await api.get('/emails')).json<{ data: EmailResource[] }>().data;
    expect(listed.map(({ attachments }) => attachments)).toEqual([undefined]);
  });

  test('is sent again with the same bytes', async () => {
    refuses = true;
    const id = await idOf(api.send({ attachments: [file('a.bin', randomBytes(500_000))] }));
    const [first] = await received(id);
    refuses = false;
    const [second] = await received(id);
    expect(second).toBe(first);
    expect((await get(id)).status).toBe('delivered');
  });

  test('has one stored content for all recipients, kept as long as one of them has it', async () => {
    const attachments = [file('a.bin', randomBytes(250_000))];
    const { ids } = (await api.send({ recipient: ['a@x.test', 'b@x.test'], bcc: ['c@x.test'], attachments })).json<{
      ids: string[];
    }>();
    const stored = await chunks();
    expect(stored).toBe(Math.ceil(250_000 / 29_184));
    const messages = await received(...ids);
    for (const message of messages) {
      expect(await dkim(message)).toBe('pass');
      const [attached] = (await read(message)).attachments;
      expect(base64(Buffer.from(attached?.content as ArrayBuffer))).toBe(attachments[0]?.content);
    }
    expect(messages).toHaveLength(3);
    const page = { before: '2027-01-01T00:00:00.000Z', after: undefined, limit: 100 };
    const [first = '', ...others] = ids;
    const expire = (expired: readonly string[], at: string) =>
      api.store.updateTable('emails').set({ expires_at: at }).where('id', 'in', expired).execute();
    await expire(others, '2028-01-01T00:00:00.000Z');
    expect(await removals.attachments(api.store, page)).toEqual({ removed: 1, next: undefined });
    expect([await chunks(), (await get(first)).attachments, (await get(ids[1] ?? '')).attachments?.length]).toEqual([
      ...[stored, undefined, 1],
    ]);
    await expire(others, '2026-04-01T00:00:00.000Z');
    // An email whose attachments are still there stays.
    await removals.emailContents(api.store, page, api.clock.time);
    expect((await removals.emails(api.store, page)).removed).toBe(1);
    await removals.attachments(api.store, page);
    expect(await chunks()).toBe(0);
    expect((await removals.emails(api.store, page)).removed).toBe(2);
  });

  test('loses them with the recipient who is erased, once none is queued', async () => {
    const alone = await idOf(api.send({ recipient: 'ada@x.test', attachments: [file('Ada.pdf')] }));
    const { ids } = (
      await api.send({ recipient: ['ada@x.test', 'bob@x.test'], attachments: [file('Both.pdf')] })
    ).json<{
      ids: string[];
    }>();
    const other = await idOf(api.send({ recipient: 'bob@x.test', attachments: [file('Bob.pdf')] }));
    const erase = () => api.post('/erasures', { recipient: 'ada@x.test' });
    expect((await erase()).statusCode).toBe(409);
    await received(alone, ...ids);
    expect((await erase()).statusCode).toBe(200);
    expect(await chunks()).toBe(1);
    for (const id of [alone, ...ids]) expect(await get(id)).not.toHaveProperty('attachments');
    expect((await get(other)).attachments).toMatchObject([{ filename: 'Bob.pdf' }]);
    const left = JSON.stringify(await api.store.selectFrom('emails').selectAll().execute());
    expect(left).not.toMatch(/Ada\.pdf|Both\.pdf/);
    const [message = ''] = await received(other);
    expect((await read(message)).attachments).toHaveLength(1);
  });

  test('leaves later, and can be moved and cancelled', async () => {
    const at = '2026-03-02T12:00:00Z';
    const scheduled = await idOf(api.send({ scheduled_at: at, attachments: [file('a.txt')] }));
    const moved = await api.patch(`/emails/${scheduled}`, { scheduled_at: '2026-03-03T12:00:00Z' });
    expect([moved.statusCode, (await get(scheduled)).attachments?.length]).toEqual([200, 1]);
    const cancelled = await api.post(`/emails/${scheduled}/cancel`, undefined);
    expect([cancelled.statusCode, await chunks()]).toEqual([200, 1]);
  });

  test('goes to sandbox recipients, and bounces with them', async () => {
    const ids = [];
    for (const name of ['delivered', 'bounced'])
      ids.push(await idOf(api.send({ recipient: `${name}@sandbox.invalid`, attachments: [file('a.txt')] })));
    expect(await received(...ids)).toEqual([]);
    expect(await Promise.all(ids.map(async (id) => (await get(id)).status))).toEqual(['delivered', 'bounced']);
  });

  test('is accepted once for an Idempotency-Key, under which another content is refused', async () => {
    const attachments = [file('a.txt', 'one')];
    const first = await api.send({ attachments }, 'once');
    const again = await api.send({ attachments }, 'once');
    expect([again.statusCode, again.json(), await chunks()]).toEqual([202, first.json(), 1]);
    const other = await api.send({ attachments: [file('a.txt', 'two')] }, 'once');
    expect([other.statusCode, other.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('of a batch has its own', async () => {
    const emails = ['a', 'b'].map((name) =>
      email(api.senderId, { recipient: `${name}@x.test`, attachments: [file(`${name}.txt`)] }),
    );
    const answer = await api.post('/emails/batch', { emails }, { key: 'batch' });
    const ids = answer.json<{ emails: { id: string }[] }>().emails.map(({ id }) => id);
    const names = [];
    for (const id of ids)
      names.push((await read((await received(id))[0] ?? '')).attachments.map(({ filename }) => filename));
    expect(names).toEqual([['a.txt'], ['b.txt']]);
    const wrong = await api.post(
      '/emails/batch',
      { emails: [emails[0], email(api.senderId, { attachments: [{ filename: 'a', content: '?' }] })] },
      { key: 'wrong' },
    );
    expect(wrong.json()).toMatchObject({ errors: [{ pointer: '/emails/1/attachments/0/content' }] });
  });

  test('takes 10 MB in all and no byte more, and arrives unchanged', async () => {
    const bytes = randomBytes(10_000_000);
    const halves = [file('a.bin', bytes.subarray(0, 6_000_000)), file('b.bin', bytes.subarray(6_000_000))];
    const refused = await api.send({ attachments: [...halves, file('c.bin', 'x')] });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      {
        errors: [
          {
            ...{ pointer: '/attachments', code: 'too_long' },
            detail: 'The attachments of a request have together at most 10000000 bytes, before base64; found 10000001.',
          },
        ],
      },
    ]);
    const id = await idOf(api.send({ attachments: halves }));
    const [message = ''] = await received(id);
    const parsed = await read(message);
    expect(digest(Buffer.concat(parsed.attachments.map(({ content }) => new Uint8Array(content as ArrayBuffer))))).toBe(
      digest(bytes),
    );
    expect(await dkim(message)).toBe('pass');
    const batch = [halves[0], halves[1], file('c.bin', 'x')].map((each) =>
      email(api.senderId, { attachments: [each] }),
    );
    const together = await api.post('/emails/batch', { emails: batch }, { key: 'batch' });
    expect(together.json()).toMatchObject({ errors: [{ pointer: '/emails', code: 'too_long' }] });
  });

  test.each([
    [{ filename: '' }, 'filename'],
    [{ filename: '  ' }, 'filename too_short'],
    [{ filename: 'a\r\nb' }, 'filename'],
    [{ filename: 'a\u0000' }, 'filename'],
    [{ filename: '../passwd' }, 'filename malformed'],
    [{ filename: 'C:\\a.txt' }, 'filename malformed'],
    [{ filename: 'ä'.repeat(128) }, 'filename too_long'],
    [{ filename: 'a'.repeat(256) }, 'filename'],
    [{ content: 'a?==' }, 'content malformed'],
    [{ content: 'YWJj\nYWJj' }, 'content malformed'],
    [{ content: 'YWI' }, 'content malformed'],
    [{ content: 'YQ=' }, 'content malformed'],
    [{ content: '=' }, 'content malformed'],
    [{ content: 'YQ==YQ==' }, 'content malformed'],
    [{ content: 'YWJ-YWJ_' }, 'content malformed'],
    [{ content: 7 }, 'content'],
    [{ content_type: 'pdf' }, 'content_type'],
    [{ content_type: 'a/b\r\nX: y' }, 'content_type'],
    [{ content_type: 'text/plain; charset' }, 'content_type'],
    [{ content_type: 'message/rfc822' }, 'content_type unsupported'],
    [{ content_type: 'Multipart/Mixed; boundary=x' }, 'content_type unsupported'],
    [{ content_id: '<logo>' }, 'content_id'],
    [{ content_id: 'a b' }, 'content_id'],
    [{ content_id: 'twice' }, 'content_id duplicate'],
    [{ path: '/etc/passwd' }, 'path'],
  ])('is refused with the field: %j', async (changes, expected) => {
    const first = file('a.txt', 'a', { content_id: 'twice' });
    const answer = await api.send({ attachments: [first, { ...file('b.txt'), ...changes }] });
    const { errors = [] } = answer.json<{ errors?: { pointer: string; code: string; detail: string }[] }>();
    expect(answer.statusCode).toBe(422);
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).join()).toContain(`/attachments/1/${expected}`);
    expect(await chunks()).toBe(0);
  });

  test('has at most a hundred', async () => {
    const many = Array.from({ length: 101 }, (_, n) => file(`${String(n)}.txt`));
    expect((await api.send({ attachments: many })).json()).toMatchObject({ errors: [{ pointer: '/attachments' }] });
    const id = await idOf(api.send({ attachments: many.slice(1) }));
    expect((await read((await received(id))[0] ?? '')).attachments).toHaveLength(100);
  });
});
