import { createHmac } from 'node:crypto';
import { UnwantedReply, type SmtpConnection } from './smtp-connection.ts';

export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
}

/** @param offered the parameters of the server's AUTH extension (RFC 4954) */
export async function logIn(connection: SmtpConnection, credentials: SmtpCredentials, offered: string): Promise<void> {
  const { user, pass } = credentials;
  const mechanisms = offered.toUpperCase().split(' ');
  const plain = base64(`\0${user}\0${pass}`);
  try {
    if (mechanisms.includes('PLAIN') || !mechanisms.some((each) => each === 'LOGIN' || each === 'CRAM-MD5')) {
      await connection.command(`AUTH PLAIN ${plain}`, 2);
    } else if (mechanisms.includes('LOGIN')) {
      await connection.command('AUTH LOGIN', 3);
      await connection.command(base64(user), 3);
      await connection.command(base64(pass), 2);
    } else {
      const challenge = (await connection.command('AUTH CRAM-MD5', 3)).slice('334 '.length);
      const digest = createHmac('md5', pass).update(Buffer.from(challenge, 'base64')).digest('hex');
      await connection.command(base64(`${user} ${digest}`), 2);
    }
  } catch (error) {
    throw error instanceof UnwantedReply ? withoutSecrets(error, [plain, base64(pass), pass]) : error;
  }
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Some servers quote the refused command, and replies are stored and shown. */
function withoutSecrets({ reply }: UnwantedReply, secrets: readonly string[]): UnwantedReply {
  const text = secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '…'), reply.text);
  return new UnwantedReply({ ...reply, text });
}
