import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { composeMessage, type EmailToCompose } from '../../../src/email-service/delivery/compose-message.ts';
import { generateDkimKeyPair, type DkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';

let keys: DkimKeyPair;
beforeAll(async () => {
  keys = await generateDkimKeyPair();
});

const email = (more: Partial<EmailToCompose> = {}): EmailToCompose => ({
  from: { address: 'orders@acme.test', name: 'Acme' },
  to: ['person@inbox.test'],
  cc: [],
  subject: 'Welcome',
  text: 'Hello\n',
  html: undefined,
  headers: {},
  messageId: '<eml_1@acme.test>',
  date: new Date('2026-11-21T12:00:00Z'),
  ...more,
});

const compose = (more: Partial<EmailToCompose> = {}) =>
  composeMessage(email(more), { domain: 'acme.test', selector: 'k1', privateKey: keys.privateKey });

/** A receiver's DKIM verdict, with the key as the only DNS record. */
async function judge(message: string): Promise<string | undefined> {
  const { results } = await dkimVerify(message, {
    resolver: async (name) => {
      if (name !== 'k1._domainkey.acme.test') throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return [[`v=DKIM1; k=rsa; p=${keys.publicKey}`]];
    },
  });
  return results[0]?.status.result;
}

const many = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}-${'x'.repeat(40)}-${String(n)}@${'label.'.repeat(20)}inbox.test`);

const texts: readonly (readonly [string, Partial<EmailToCompose>])[] = [
  ['plain ASCII', {}],
  ['an empty text', { text: '' }],
  ['umlauts, Chinese and emoji', { text: 'Grüße, 你好 🎉\n'.repeat(50), subject: 'Grüße, 你好 🎉 '.repeat(20) }],
  ['lines of 5000 characters', { text: 'x'.repeat(5_000) }],
  ['lines that begin with dots', { text: '.\n..\n.hidden\nend' }],
  ['an SMTP end of message inside of it', { text: 'one\r\n.\r\nMAIL FROM:<evil@x.test>\r\n' }],
  ['lone carriage returns', { text: 'one\rtwo\r\rthree\r.\r' }],
  ['blank lines and blanks at its end', { text: 'one \t \n\n \n\n\n' }],
  ['no final line end', { text: 'one' }],
  ['HTML beside the text', { html: '<p>Grüße</p>\n<p>.</p>' }],
  ['a display name with quotes and umlauts', { from: { address: 'orders@acme.test', name: 'Ä "B" <C>, D' } }],
  ['a display name of 200 letters', { from: { address: 'orders@acme.test', name: 'Ü'.repeat(200) } }],
  ['fifty recipients', { to: many('to', 25), cc: many('cc', 25) }],
  ['no display name', { from: { address: 'orders@acme.test', name: undefined } }],
  [
    'fields of its own',
    { headers: { 'Reply-To': 'help@acme.test', 'X-Order': '7', 'List-Unsubscribe': '<https://acme.test/u>' } },
  ],
];

describe('a composed message', () => {
  test.each(texts)('with %s passes DKIM', async (_, more) => {
    expect(await judge(await compose(more))).toBe('pass');
  });

  test.each(texts)('with %s is ASCII in short lines that end in CRLF only', async (_, more) => {
    const message = await compose(more);
    expect(message).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    const lines = message.split('\r\n');
    expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  test('names the recipients of to and cc in its header, and no other', async () => {
    const message = await compose({ to: many('to', 3), cc: many('cc', 2) });
    const unfolded = message.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
    expect(unfolded).toContain(`To: ${many('to', 3).join(', ')}`);
    expect(unfolded).toContain(`Cc: ${many('cc', 2).join(', ')}`);
    expect(message).not.toMatch(/^Bcc:/im);
    // Signed, so that no relay can add a recipient.
    expect(unfolded[0]).toMatch(/h=From: From: To: Cc: Subject/);
    expect((await compose()).toLowerCase()).not.toContain('\r\ncc:');
  });

  test('has one From, To, Subject, Date and Message-ID, with the given values', async () => {
    const [header = ''] = (await compose()).split('\r\n\r\n');
    const lines = header.split('\r\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'From: Acme <orders@acme.test>',
        'To: person@inbox.test',
        'Subject: Welcome',
        'Date: Sat, 21 Nov 2026 12:00:00 +0000',
        'Message-ID: <eml_1@acme.test>',
        'MIME-Version: 1.0',
      ]),
    );
    for (const name of ['From', 'To', 'Subject', 'Date', 'Message-ID']) {
      expect(lines.filter((line) => line.startsWith(`${name}:`))).toHaveLength(1);
    }
  });

  test('offers text and HTML as alternatives, the text first', async () => {
    const message = await compose({ html: '<p>Hello</p>' });
    expect(message).toMatch(/Content-Type: multipart\/alternative;/);
    expect(message.indexOf('text/plain')).toBeLessThan(message.indexOf('text/html'));
  });

  test('never reads a file or URL that the text looks like', async () => {
    const message = await compose({ text: '/etc/passwd', html: 'file:///etc/passwd' });
    expect(message).not.toMatch(/root:/);
    expect(message).toContain('/etc/passwd');
  });
});

describe('the signature of a message', () => {
  test.each(['From: Mallory <mallory@evil.test>', 'FROM: mallory@evil.test'])(
    'breaks when %j is added',
    async (field) => {
      const message = await compose();
      expect(await judge(`${field}\r\n${message}`)).toBe('fail');
      expect(await judge(message.replace('\r\n\r\n', `\r\n${field}\r\n\r\n`))).toBe('fail');
    },
  );

  test.each([
    ['From', 'orders@acme.test', 'others@acme.test'],
    ['To', 'To: person@', 'To: another@'],
    ['Subject', 'Welcome', 'Farewell'],
    ['Date', '12:00:00', '13:00:00'],
    ['Message-ID', '<eml_1@', '<eml_2@'],
    ['Content-Type', 'text/plain', 'text/html'],
    ['List-Unsubscribe', 'acme.test/u', 'evil.test/u'],
    ['body', 'Hello', 'Goodbye'],
  ])('breaks when %s changes', async (_, from, to) => {
    const message = await compose({ headers: { 'List-Unsubscribe': '<https://acme.test/u>' } });
    const signatureEnd = message.search(/\r\n(?! )/);
    const changed = message.slice(0, signatureEnd) + message.slice(signatureEnd).replace(from, to);
    expect(changed).not.toBe(message);
    expect(await judge(changed)).toMatch(/^(fail|neutral)$/);
  });

  test('survives relays that refold fields, change the case of names or add spaces at line ends', async () => {
    const message = await compose({ text: 'Hello  world\n' });
    const relayed = message
      .replace('Subject: Welcome', 'SUBJECT:\r\n\tWelcome ')
      .replace('Hello  world', 'Hello world  ')
      .concat('\r\n\r\n');
    expect(await judge(relayed)).toBe('pass');
  });
});
