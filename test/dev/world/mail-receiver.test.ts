import { generateKeyPairSync } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dkimSign } from 'mailauth';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { startMailReceiver, type MailReceiver } from '../../../src/dev/world/mail-receiver.ts';
import { WORLD_ZONES } from '../../../src/dev/world/world-zones.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const records = [
  {
    type: 'TXT',
    name: 'k1._domainkey.acme.test',
    value: `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  },
  { type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 ip4:127.0.0.1 -all' },
  { type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=reject' },
] as const;

const text = [
  'From: Acme <hello@acme.test>',
  'To: ada@inbox.test',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= from',
  ' Acme',
  'Message-ID: <eml_1@acme.test>',
  'Date: Sat, 01 Aug 2026 10:00:00 +0000',
  '',
  'Hello Ada',
  '',
].join('\r\n');

let folder: string;
let dns: DnsServer;
let receiver: MailReceiver;

beforeEach(async () => {
  folder = temporaryFolder();
  dns = await startDnsServer({ zones: WORLD_ZONES });
  await start();
});

afterEach(async () => {
  await receiver.stop();
  await dns.stop();
});

async function start(): Promise<void> {
  receiver = await startMailReceiver({ resolvers: [dns.address], hostname: 'mx.inbox.test', folder });
}

async function signed(): Promise<string> {
  const key = {
    signingDomain: 'acme.test',
    selector: 'k1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const { signatures, errors } = await dkimSign(text, { ...key, signatureData: [key] });
  expect(errors).toEqual([]);
  return signatures + text;
}

async function send(raw: string, to = 'ada@inbox.test'): Promise<void> {
  const transport = createTransport({
    host: receiver.host,
    port: receiver.port,
    name: 'mail.acme.test',
    ignoreTLS: true,
  });
  try {
    await transport.sendMail({ envelope: { from: 'eml_1@bounce.acme.test', to }, raw });
  } finally {
    transport.close();
  }
}

test('accepts a message however deeply its parts are nested', async () => {
  const open = Array.from(
    { length: 300 },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
  );
  await send(`From: hello@acme.test\r\nSubject: nested\r\n${open.join('')}\r\ntext`);
  expect(receiver.received()).toMatchObject([{ from: 'hello@acme.test', subject: 'nested' }]);
});

describe('judging what arrives', () => {
  test('a signed message from a domain with all records passes DKIM, SPF and DMARC', async () => {
    dns.publish(records);
    const raw = await signed();
    await send(raw);
    expect(receiver.received()).toMatchObject([
      {
        messageId: '<eml_1@acme.test>',
        from: 'hello@acme.test',
        to: ['ada@inbox.test'],
        subject: 'Grüße from Acme',
        envelopeFrom: 'eml_1@bounce.acme.test',
        dkim: 'pass',
        spf: 'pass',
        dmarc: 'pass',
        raw,
      },
    ]);
  });

  test('a message that was changed on the way fails', async () => {
    dns.publish(records.filter(({ name }) => name !== 'bounce.acme.test'));
    await send((await signed()).replace('hello@acme.test', 'hallo@acme.test'));
    expect(receiver.received()).toMatchObject([{ dkim: 'fail', spf: 'none', dmarc: 'fail' }]);
  });

  test('without any record there is nothing to pass', async () => {
    await send(text);
    expect(receiver.received()).toMatchObject([{ dkim: 'none', spf: 'none', dmarc: 'none' }]);
  });

  test('a server the SPF record does not name fails SPF', async () => {
    dns.publish([{ type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 ip4:192.0.2.1 -all' }]);
    await send(text);
    expect(receiver.received()).toMatchObject([{ spf: 'fail' }]);
  });

  test('a DNS server that refuses is a temporary error, not the lack of a record', async () => {
    await receiver.stop();
    const other = await startDnsServer({ zones: [] });
    receiver = await startMailReceiver({ resolvers: [other.address], hostname: 'mx.inbox.test', folder });
    await send(await signed());
    await other.stop();
    expect(receiver.received()).toMatchObject([{ dkim: 'temperror', spf: 'temperror', dmarc: 'temperror' }]);
  });
});

describe('the ledger', () => {
  test('what was acknowledged is there after a restart, and a half-written message is not', async () => {
    await send(text);
    await writeFile(join(folder, '00000002.json.new'), '{"messageId":');
    await receiver.stop();
    await start();
    await send(text);
    expect(receiver.received().map(({ messageId }) => messageId)).toEqual(['<eml_1@acme.test>', '<eml_1@acme.test>']);
    expect((await readdir(folder)).sort()).toEqual(['00000001.json', '00000002.json']);
  });

  test('a message is never written over another one, even when a file was removed', async () => {
    await send(text);
    await send(text, 'bob@inbox.test');
    await receiver.stop();
    await rm(join(folder, '00000001.json'));
    await start();
    await send(text, 'eve@inbox.test');
    expect(receiver.received().map(({ to }) => to)).toEqual([['bob@inbox.test'], ['eve@inbox.test']]);
    expect((await readdir(folder)).sort()).toEqual(['00000002.json', '00000003.json']);
  });

  test('stores every message of simultaneous deliveries', async () => {
    await Promise.all(Array.from({ length: 20 }, () => send(text)));
    await receiver.stop();
    await start();
    expect(receiver.received()).toHaveLength(20);
  });
});

describe('refusing', () => {
  test('a recipient, with the configured reply', async () => {
    receiver.refuse({ recipient: 'Gone@inbox.test', reply: { code: 550, enhanced: '5.1.1', text: 'No such mailbox' } });
    await expect(send(text, 'gone@inbox.test')).rejects.toMatchObject({
      responseCode: 550,
      response: expect.stringContaining('550 5.1.1 No such mailbox') as string,
    });
    await send(text);
    expect(receiver.received()).toHaveLength(1);
  });

  test('whoever a pattern matches, the configured number of times', async () => {
    const reply = { code: 451, enhanced: '4.7.1', text: 'Greylisted' };
    receiver.refuse({ recipient: /@inbox\.test$/, reply, times: 2 });
    for (let time = 0; time < 2; time += 1)
      await expect(send(text)).rejects.toMatchObject({ responseCode: 451, command: 'RCPT TO' });
    await send(text);
    expect(receiver.received()).toHaveLength(1);
  });
});

describe('waiting for a message', () => {
  const fits = ({ to }: { to: readonly string[] }): boolean => to.includes('ada@inbox.test');

  test('resolves with a message that has already arrived', async () => {
    await send(text);
    expect(await receiver.waitFor(fits, AbortSignal.timeout(5_000))).toBe(receiver.received()[0]);
  });

  test('resolves when the message arrives, and ignores others', async () => {
    const waiting = receiver.waitFor(fits, AbortSignal.timeout(5_000));
    await send(text, 'bob@inbox.test');
    await send(text);
    expect((await waiting).to).toEqual(['ada@inbox.test']);
  });

  test('rejects when the signal aborts', async () => {
    const stopped = new AbortController();
    const waiting = receiver.waitFor(fits, stopped.signal);
    stopped.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
