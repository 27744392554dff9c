// Messages of an Amazon SNS topic over HTTPS (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). Anyone may post
// one, so the cheap checks come first, and only then a certificate is fetched.
import { textIn } from '../../answer-fields.ts';
import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { ProviderError, ProviderUnreachable } from '../../provider-error.ts';
import { parseFields } from './read-answers.ts';

/** As long as Amazon posts a message again, or the operator moves it from a dead-letter queue. A message is stored once anyway. */
const AGE_MS_MAX = 24 * 3_600_000;
/** For clocks that differ. */
const AHEAD_MS_MAX = 300_000;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-zA-Z]{32}\.pem$/;
/** A rotation needs two. */
const CERTIFICATES_MAX = 8;
/** What a stranger can have us fetch at once. */
const FETCHES_MAX = 2;
/** With another status, Amazon may have the certificate. */
const ABSENT: readonly number[] = [400, 403, 404, 410];

const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;
type SnsType = keyof typeof signedFields;

export interface SnsMessage {
  readonly type: SnsType;
  /** The same each time that Amazon posts it. */
  readonly id: string;
  readonly message: string;
  /** The token of a SubscriptionConfirmation or an UnsubscribeConfirmation. */
  readonly token: string | undefined;
}

export interface SnsTopic {
  readonly topicArn: string;
  readonly region: string;
  /** A file at `sns.<region>.amazonaws.com`. */
  readonly fetchFile: (path: string) => Promise<string>;
  /** For the operator: what makes messages unreadable that may be authentic. */
  readonly warn: (message: string) => void;
  /** @default the system's clock */
  readonly now?: () => number;
}

/**
 * Reads messages of this topic. Undefined unless one is authentic: signed by Amazon with version 2, for this topic, and at most a day old. Throws
 * while that is not known: SNS posts a message again after a 5xx, and never after a 4xx.
 */
export function createSnsReader({ topicArn, region, fetchFile, warn, now = Date.now }: SnsTopic) {
  const host = `sns.${region}.amazonaws.com`;
  const keys = new Map<string, KeyObject>();
  const fetches = new Map<string, Promise<KeyObject | undefined>>();

  function keyAt(url: string): Promise<KeyObject | undefined> | KeyObject | undefined {
    const { protocol, host: found, pathname, search } = new URL(url);
    if (protocol !== 'https:' || found !== host || search !== '' || !CERTIFICATE_PATH.test(pathname)) return undefined;
    const known = keys.get(pathname) ?? fetches.get(pathname);
    if (known !== undefined) return known;
    if (fetches.size >= FETCHES_MAX)
      throw new ProviderUnreachable(`GET ${pathname} of SNS`, `${FETCHES_MAX} other certificates are being fetched`);
    const fetched = fetchKey(pathname).finally(() => fetches.delete(pathname));
    fetches.set(pathname, fetched);
    return fetched;
  }

  async function fetchKey(pathname: string): Promise<KeyObject | undefined> {
    try {
      const { publicKey, validTo } = new X509Certificate(await fetchFile(pathname));
      if (publicKey.asymmetricKeyType !== 'rsa' || Date.parse(validTo) < now()) return undefined;
      const [oldest] = keys.keys();
      if (keys.size >= CERTIFICATES_MAX && oldest !== undefined) keys.delete(oldest);
      keys.set(pathname, publicKey);
      return publicKey;
    } catch (error) {
      if (error instanceof ProviderError && ABSENT.includes(error.httpStatus)) return undefined;
      throw error;
    }
  }

  return async (body: Buffer): Promise<SnsMessage | undefined> => {
    const fields = parseFields(body.toString()) ?? {};
    const type = fields['Type'];
    const [id, sentAt, url] = ['MessageId', 'Timestamp', 'SigningCertURL'].map((name) => textIn(fields, name));
    if (!isSnsType(type) || id === undefined || url === undefined || fields['TopicArn'] !== topicArn) return undefined;
    const ageMs = now() - Date.parse(sentAt ?? '');
    if (!(ageMs <= AGE_MS_MAX && ageMs >= -AHEAD_MS_MAX)) return undefined;
    if (fields['SignatureVersion'] !== '2') {
      warn(
        `A message of SES_TOPIC_ARN is signed with version ${String(fields['SignatureVersion']).slice(0, 20)}, which sendoff refuses. ${signatureRemedy(topicArn)}`,
      );
      return undefined;
    }
    const key = URL.canParse(url) ? await keyAt(url) : undefined;
    const signature = Buffer.from(textIn(fields, 'Signature') ?? '', 'base64');
    if (key === undefined || !verify('sha256', signedText(type, fields), key, signature)) return undefined;
    return { type, id, message: textIn(fields, 'Message') ?? '', token: textIn(fields, 'Token') };
  };
}

export const signatureRemedy = (topicArn: string): string =>
  `Set it to version 2: aws sns set-topic-attributes --topic-arn ${topicArn} --attribute-name SignatureVersion --attribute-value 2`;

const isSnsType = (word: unknown): word is SnsType => typeof word === 'string' && Object.hasOwn(signedFields, word);

/** Every name and value ends with a line feed, the last one too. */
const signedText = (type: SnsType, fields: Readonly<Record<string, unknown>>): Buffer =>
  Buffer.from(
    signedFields[type]
      .filter((name) => typeof fields[name] === 'string')
      .map((name) => `${name}\n${String(fields[name])}\n`)
      .join(''),
  );
