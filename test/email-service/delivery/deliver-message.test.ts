import { describe, expect, test } from 'vitest';
import { startDnsServer } from '../../../src/dev/world/dns-server.ts';
import { startMailReceiver } from '../../../src/dev/world/mail-receiver.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { composeMessage } from '../../../src/email-service/delivery/compose-message.ts';
import {
  createDeliverMessage,
  type DeliverMessageOptions,
} from '../../../src/email-service/delivery/deliver-message.ts';
import { addressPolicy } from '../../../src/lib/dns/address-policy.ts';
import { createMailResolver, createMailRouter } from '../../../src/email-service/delivery/mail-route.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { context, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer, type SmtpAnswer, type SmtpStep } from '../support/scripted-smtp-server.ts';

const zones = worldZones({ tenant: 'acme.test', recipient: 'inbox.test' });

async function world(more: readonly ZoneRecord[] = []) {
  const withoutMx = more.some(({ name, type }) => name === 'inbox.test' && type === 'MX');
  const all = [...zones.filter(({ type }) => !(withoutMx && type === 'MX')), ...more];
  return endWithTest(await startDnsServer({ zones: all }));
}

type Options = Partial<DeliverMessageOptions> & { readonly allowPrivateAddresses?: boolean };

const deliverer = (dns: { address: string }, { allowPrivateAddresses = true, ...options }: Options = {}) =>
  createDeliverMessage({
    findMailRoute: createMailRouter(
      createMailResolver([dns.address]),
      addressPolicy({ allowPrivateAddresses, blockedNetworks: [] }),
    ),
    smtpPort: 1,
    smtpRelayUrl: undefined,
    ...options,
  });

/** A server that every MX host of the zones leads to. */
async function scripted(
  script: Partial<Record<SmtpStep, SmtpAnswer>> = {},
  zones: readonly ZoneRecord[] = [],
  options: Options = {},
) {
  const server = endWithTest(await startScriptedSmtpServer(script));
  return { server, deliver: deliverer(await world(zones), { smtpPort: server.port, ...options }) };
}

describe('the route to a domain', () => {
  test('is looked up once for messages at the same time, and again for later ones', async () => {
    const dns = await world();
    const findMailRoute = createMailRouter(createMailResolver([dns.address]), () => true);
    const routes = [findMailRoute('inbox.test'), findMailRoute('inbox.test')];
    expect(routes[0]).toBe(routes[1]);
    expect(findMailRoute('acme.test')).not.toBe(routes[0]);
    expect(await routes[0]).toMatchObject({ kind: 'hosts', hosts: [{ name: 'mx.inbox.test' }] });
    dns.withdraw('inbox.test', 'MX');
    dns.publish([{ name: 'inbox.test', type: 'MX', value: '0 .' }]);
    expect(await findMailRoute('inbox.test')).toMatchObject({ kind: 'none' });
  });
});

describe('a delivery attempt', () => {
  test('is judged by the receiver: DKIM, SPF and DMARC pass', async () => {
    const keys = await generateDkimKeyPair();
    const dns = await world([
      { name: 'k1._domainkey.acme.test', type: 'TXT', value: `v=DKIM1; k=rsa; p=${keys.publicKey}` },
      { name: 'bounce.acme.test', type: 'TXT', value: 'v=spf1 ip4:127.0.0.1 -all' },
      { name: '_dmarc.acme.test', type: 'TXT', value: 'v=DMARC1; p=reject' },
    ]);
    const receiver = endWithTest(await startMailReceiver({ resolvers: [dns.address], hostname: 'mx.inbox.test' }));
    const deliver = deliverer(dns, { smtpPort: receiver.port });
    const signedMessage = await composeMessage(
      {
        from: { address: 'orders@acme.test', name: 'Acme' },
        to: [message.recipient],
        cc: [],
        subject: 'Grüße',
        text: 'Hello\n.\n..dots\n',
        html: '<p>Hello</p>',
        headers: {},
        messageId: '<eml_1@acme.test>',
        date: new Date(),
      },
      { domain: 'acme.test', selector: 'k1', privateKey: keys.privateKey },
    );
    const result = await deliver({ ...message, signedMessage }, context());
    expect(result).toMatchObject({ kind: 'delivered', remoteMta: 'mx.inbox.test', reply: { replyCode: 250 } });
    expect(receiver.received()).toHaveLength(1);
    expect(receiver.received()[0]).toMatchObject({
      dkim: 'pass',
      spf: 'pass',
      dmarc: 'pass',
      envelopeFrom: 'eml_1@bounce.acme.test',
      messageId: '<eml_1@acme.test>',
    });
  });

  test('sends its host name and escapes lines that begin with a dot', async () => {
    const { server, deliver } = await scripted();
    await deliver(message, context());
    expect(server.commands).toContain('EHLO mail.sendoff.test');
    expect(server.messages[0]).toContain('\r\n\r\n..Hello');
  });

  test('bounces on 550 5.1.1 with the text of the reply', async () => {
    const { server, deliver } = await scripted({ rcpt: '550-5.1.1 No such\r\n550 5.1.1 person' });
    const result = await deliver(message, context());
    expect(result).toMatchObject({
      kind: 'bounced',
      bounce: {
        category: 'recipient',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        diagnostic: 'No such person',
        remote_mta: 'mx.inbox.test',
        attempt: 1,
      },
    });
    expect(server.messages.join()).toBe('');
  });

  test.each([
    ['MAIL FROM', { mail: '451 4.7.1 slow down' }],
    ['RCPT TO', { rcpt: '451 4.7.1 slow down' }],
    ['DATA', { data: '451 4.7.1 slow down' }],
    ['the message', { message: '451 4.7.1 slow down' }],
  ])('is deferred by a 4yz to %s', async (_, script) => {
    const { deliver } = await scripted(script);
    expect(await deliver(message, context())).toMatchObject({
      kind: 'deferred',
      reply: { replyCode: 451, enhancedCode: '4.7.1', text: 'slow down' },
      remoteMta: 'mx.inbox.test',
    });
  });

  test.each(['250Ok', '250\tqueued'])(
    'takes %j to the message for its acceptance, as the code decides',
    async (reply) => {
      const { server, deliver } = await scripted({ message: reply });
      expect(await deliver(message, context())).toMatchObject({ kind: 'delivered', reply: { replyCode: 250 } });
      expect(server.messages).toHaveLength(1);
    },
  );

  test('bounces on a 5yz to the message itself', async () => {
    const { deliver } = await scripted({ message: '554 5.7.1 looks like spam' });
    expect(await deliver(message, context())).toMatchObject({ kind: 'bounced', bounce: { category: 'content' } });
  });

  test('does not send a message that exceeds the size limit of the server', async () => {
    const { server, deliver } = await scripted({ ehlo: '250-mx.inbox.test\r\n250 SIZE 10' });
    expect(await deliver(message, context())).toMatchObject({
      kind: 'bounced',
      bounce: { category: 'content', smtp_code: 552, enhanced_code: '5.3.4' },
    });
    expect(server.commands).not.toContain('DATA');
  });

  test.each([
    ['greets with 554', { greeting: '554 5.3.2 no service here' }],
    ['greets with 421', { greeting: '421 4.3.2 too busy' }],
    ['closes at RCPT TO with 421', { ehlo: '250 mx.inbox.test', rcpt: '421 4.3.2 closing' }],
    ['hangs up without a greeting', { greeting: 'hangUp' }],
    ['hangs up at MAIL FROM', { ehlo: '250 mx.inbox.test', mail: 'hangUp' }],
    ['hangs up at DATA', { ehlo: '250 mx.inbox.test', data: 'hangUp' }],
    ['does not speak SMTP', { greeting: 'HTTP/1.1 400 Bad Request' }],
  ] as const)('is put off, and not bounced, by a server that %s', async (_, script) => {
    const { server, deliver } = await scripted(script);
    expect(await deliver(message, context())).toMatchObject({ kind: 'deferred', remoteMta: 'mx.inbox.test' });
    expect(server.messages).toEqual([]);
  });

  test('is not aborted between the final dot and its reply', async () => {
    const caller = new AbortController();
    const { server, deliver } = await scripted({ message: 'silence' });
    const delivering = deliver(message, { ...context(), signal: caller.signal });
    await expect.poll(() => server.messages).toHaveLength(1);
    caller.abort();
    server.say('250 2.0.0 kept after all');
    expect(await delivering).toMatchObject({ kind: 'delivered' });
  });

  test('sends no final dot once another attempt has taken over', async () => {
    const { server, deliver } = await scripted();
    const result = await deliver(message, { ...context(), mayStillSend: async () => false });
    expect(result).toMatchObject({ kind: 'deferred', diagnostic: 'Another attempt may have taken over.' });
    await expect.poll(() => server.commands.at(-1)).toBe('DATA');
    expect(server.messages).toEqual([]);
  });

  test('reports a refusal in the middle of the message, whether or not it may still send', async () => {
    const { server, deliver } = await scripted({ data: '354 go ahead\r\n552 5.3.4 too large' });
    const result = await deliver(message, { ...context(), mayStillSend: async () => false });
    expect(result).toMatchObject({ kind: 'bounced', bounce: { smtp_code: 552 } });
    expect(server.messages).toEqual([]);
  });
});

describe('the servers of a recipient’s domain', () => {
  const twoHosts: readonly ZoneRecord[] = [
    { name: 'inbox.test', type: 'MX', value: '20 second.inbox.test' },
    { name: 'inbox.test', type: 'MX', value: '10 first.inbox.test' },
    { name: 'first.inbox.test', type: 'A', value: '127.0.0.2' },
    { name: 'second.inbox.test', type: 'A', value: '127.0.0.1' },
  ];

  test('are tried by preference, and the next one if one is unreachable', async () => {
    const { deliver } = await scripted({}, twoHosts);
    expect(await deliver(message, context())).toMatchObject({ kind: 'delivered', remoteMta: 'second.inbox.test' });
  });

  test('are not tried further after the time limit of the attempt', async () => {
    const { server, deliver } = await scripted({}, twoHosts, { tryServersTimeoutMs: 0 });
    expect(await deliver(message, context())).toMatchObject({ kind: 'deferred', remoteMta: 'first.inbox.test' });
    expect(server.commands).toEqual([]);
  });

  test('are not tried further after one has refused the recipient', async () => {
    const first = endWithTest(await startScriptedSmtpServer({ rcpt: '550 5.1.1 no' }, { host: '127.0.0.2' }));
    const second = endWithTest(await startScriptedSmtpServer({}, { port: first.port }));
    const deliver = deliverer(await world(twoHosts), { smtpPort: first.port });
    expect(await deliver(message, context())).toMatchObject({ kind: 'bounced', remoteMta: 'first.inbox.test' });
    expect(second.commands).toEqual([]);
  });

  test('are not tried further after one may have accepted the message', async () => {
    const first = endWithTest(await startScriptedSmtpServer({ message: 'hangUp' }, { host: '127.0.0.2' }));
    const second = endWithTest(await startScriptedSmtpServer({}, { port: first.port }));
    const deliver = deliverer(await world(twoHosts), { smtpPort: first.port });
    expect(await deliver(message, context())).toMatchObject({ kind: 'unknown', remoteMta: 'first.inbox.test' });
    expect(second.commands).toEqual([]);
  });

  test('are all unreachable: the email is deferred', async () => {
    const deliver = deliverer(await world(twoHosts), { smtpPort: 1 });
    const result = await deliver(message, context());
    expect(result).toMatchObject({ kind: 'deferred', remoteMta: 'second.inbox.test' });
    expect(result).toHaveProperty('diagnostic', expect.stringContaining('ECONNREFUSED'));
  });

  test('are the domain’s own address if it has no MX record', async () => {
    const server = endWithTest(await startScriptedSmtpServer());
    const records = zones.filter(({ type }) => type !== 'MX');
    const dns = endWithTest(
      await startDnsServer({ zones: [...records, { name: 'inbox.test', type: 'A', value: '127.0.0.1' }] }),
    );
    const deliver = deliverer(dns, { smtpPort: server.port });
    expect(await deliver(message, context())).toMatchObject({ kind: 'delivered', remoteMta: 'inbox.test' });
  });

  test('are none: a null MX bounces', async () => {
    const deliver = deliverer(await world([{ name: 'inbox.test', type: 'MX', value: '0 .' }]));
    expect(await deliver(message, context())).toMatchObject({
      kind: 'bounced',
      bounce: { category: 'recipient', enhanced_code: '5.1.10', smtp_code: null, remote_mta: null },
    });
  });

  test.each([
    ['a domain that does not exist', 'person@nothing.inbox.test', '5.1.2', 'recipient'],
    ['a domain with neither MX nor address', 'person@ns-only.test', '5.1.2', 'recipient'],
    ['MX hosts without an address', 'person@lost.inbox.test', '5.4.4', 'infrastructure'],
    ['an MX record that names the domain itself, without an address', 'person@own.test', '5.4.4', 'infrastructure'],
  ])('cannot be found for %s: it bounces', async (_, recipient, code, category) => {
    const dns = await world([
      { name: 'ns-only.test', type: 'TXT', value: 'x' },
      { name: 'lost.inbox.test', type: 'MX', value: '10 gone.inbox.test' },
      { name: 'own.test', type: 'MX', value: '10 own.test' },
    ]);
    const deliver = deliverer(dns);
    expect(await deliver({ ...message, recipient }, context())).toMatchObject({
      kind: 'bounced',
      bounce: { category, enhanced_code: code },
    });
  });

  test.each([
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '::127.0.0.1',
    '::1',
    'fd00::1',
  ])('with the private address %s are not connected to: it bounces', async (value) => {
    const type = value.includes(':') ? 'AAAA' : 'A';
    const inside: readonly ZoneRecord[] = [
      { name: 'inside.inbox.test', type: 'MX', value: '10 relay.inside.test' },
      { name: 'relay.inside.test', type, value },
      { name: 'bare.inbox.test', type, value },
    ];
    const { server, deliver } = await scripted({}, inside, { allowPrivateAddresses: false });
    for (const [recipient, code] of [
      ['person@inside.inbox.test', '5.4.4'],
      ['person@bare.inbox.test', '5.1.2'],
    ] as const) {
      expect(await deliver({ ...message, recipient }, context())).toMatchObject({
        kind: 'bounced',
        bounce: { enhanced_code: code, remote_mta: null },
      });
    }
    expect(server.commands).toEqual([]);
  });

  test('are unknown while DNS does not answer: the email is deferred, never bounced', async () => {
    const deliver = deliverer(await world());
    const refused = await deliver({ ...message, recipient: 'person@elsewhere.example' }, context());
    expect(refused).toMatchObject({
      kind: 'deferred',
      remoteMta: undefined,
      diagnostic: expect.stringContaining('EREFUSED'),
    });
    const nobody = deliverer({ address: '127.0.0.1:1' });
    expect(await nobody(message, context())).toMatchObject({ kind: 'deferred', remoteMta: undefined });
  });
});
