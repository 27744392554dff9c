// The part of Amazon SNS that SES needs: a topic, its messages signed by a certificate, and the confirmation of a subscription.
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

export const REGION = 'eu-west-1';
export const ACCOUNT = '123456789012';
export const TOPIC_ARN = `arn:aws:sns:${REGION}:${ACCOUNT}:sendoff`;
export const SNS_HOST = `sns.${REGION}.amazonaws.com`;
export const CERTIFICATE_PATH = `/SimpleNotificationService-${'7'.repeat(32)}.pem`;

/** A key, and a certificate of it (RFC 5280 section 4.1) that it has signed itself. */
export function newCertificate(): { readonly key: KeyObject; readonly certificate: string } {
  const { publicKey, privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const sha256WithRsa = der(0x30, der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05));
  const commonName = der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('sns.amazonaws.com')));
  const name = der(0x30, der(0x31, commonName));
  const validity = der(0x30, ...[-1, 2].map((days) => der(0x17, utcTime(Date.now() + days * 86_400_000))));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const subject = [validity, name, publicKey.export({ type: 'spki', format: 'der' })];
  const content = der(0x30, version, der(0x02, Buffer.from([1])), sha256WithRsa, name, ...subject);
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, key));
  const lines =
    der(0x30, content, sha256WithRsa, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return { key, certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** `261125230000Z` */
const utcTime = (ms: number): Buffer => Buffer.from(new Date(ms).toISOString().replaceAll(/^20|[-:T]|\.\d+/g, ''));

let made: ReturnType<typeof newCertificate> | undefined;
export const certificateOfProcess = () => (made ??= newCertificate());

/** Signed as SNS signs it. */
export function snsMessage(fields: Readonly<Record<string, string>>): Record<string, string> {
  const message: Record<string, string> = {
    ...{ Type: 'Notification', MessageId: randomUUID(), TopicArn: TOPIC_ARN, Timestamp: new Date().toISOString() },
    ...{ Message: '', SignatureVersion: '2' },
    SigningCertURL: `https://${SNS_HOST}${CERTIFICATE_PATH}`,
    ...fields,
  };
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const signed = names.filter((name) => message[name] !== undefined).map((name) => `${name}\n${message[name]}\n`);
  const algorithm = message['SignatureVersion'] === '1' ? 'sha1' : 'sha256';
  return {
    ...message,
    Signature: sign(algorithm, Buffer.from(signed.join('')), certificateOfProcess().key).toString('base64'),
  };
}

export interface FakeTopic {
  /** The attributes that GetTopicAttributes returns. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Called with the token of a subscription. */
  readonly confirm: (token: string) => void;
  readonly subscriptions: FakeSubscription[];
}

export interface FakeSubscription {
  /** The other ones are not confirmed yet. */
  arn?: string;
  readonly endpoint: string;
  readonly token: string;
}

/** Answers a request of the query API, as XML. */
export function answerSns(
  form: URLSearchParams,
  { attributes, confirm, subscriptions }: FakeTopic,
): { status: number; body: string } {
  const action = form.get('Action') ?? '';
  if (action === 'Unsubscribe') {
    const at = subscriptions.findIndex(({ arn }) => arn === form.get('SubscriptionArn'));
    if (at >= 0) subscriptions.splice(at, 1);
    return { status: 200, body: envelope(action, '') };
  }
  if (form.get('TopicArn') !== attributes['TopicArn'])
    return {
      status: 404,
      body: '<ErrorResponse><Error><Type>Sender</Type><Code>NotFound</Code><Message>Topic does not exist</Message></Error></ErrorResponse>',
    };
  if (action === 'GetTopicAttributes') {
    const entries = Object.entries(attributes).map(
      ([name, value]) => `<entry><key>${name}</key><value>${value}</value></entry>`,
    );
    return { status: 200, body: envelope(action, `<Attributes>${entries.join('')}</Attributes>`) };
  }
  if (action === 'Subscribe') {
    const endpoint = form.get('Endpoint') ?? '';
    // Amazon has one of each endpoint.
    const known = subscriptions.find((one) => one.endpoint === endpoint);
    if (known === undefined) subscriptions.push({ endpoint, token: randomUUID() });
    return { status: 200, body: envelope(action, `<SubscriptionArn>pending confirmation</SubscriptionArn>`) };
  }
  if (action === 'ListSubscriptionsByTopic') {
    // Pages of one, so that a client that reads only the first is found out.
    const at = Number(form.get('NextToken') ?? 0);
    const members = subscriptions
      .slice(at, at + 1)
      .map(
        ({ arn = 'PendingConfirmation', endpoint }) =>
          `<member><TopicArn>${TOPIC_ARN}</TopicArn><Protocol>https</Protocol><SubscriptionArn>${arn}</SubscriptionArn><Owner>${ACCOUNT}</Owner><Endpoint>${endpoint.replaceAll('&', '&amp;')}</Endpoint></member>`,
      );
    const next = at + 1 < subscriptions.length ? `<NextToken>${at + 1}</NextToken>` : '';
    return { status: 200, body: envelope(action, `<Subscriptions>${members.join('')}</Subscriptions>${next}`) };
  }
  const token = form.get('Token') ?? '';
  const confirmed = subscriptions.find((one) => one.token === token);
  if (confirmed !== undefined) confirmed.arn ??= `${TOPIC_ARN}:${randomUUID()}`;
  confirm(token);
  return { status: 200, body: envelope(action, `<SubscriptionArn>${TOPIC_ARN}:1</SubscriptionArn>`) };
}

const envelope = (action: string, result: string): string =>
  `<${action}Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><${action}Result>${result}</${action}Result></${action}Response>`;
