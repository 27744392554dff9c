import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

export interface TlsReceiver {
  readonly port: number;
  /** Of each message that it took: whether it came over TLS, and who had logged in. */
  readonly secure: readonly boolean[];
  readonly users: readonly unknown[];
}

/** A real SMTP server with STARTTLS until the end of the test; its certificate is self-signed unless one is given. */
export async function startTlsReceiver(options: SMTPServerOptions = {}): Promise<TlsReceiver> {
  const secure: boolean[] = [];
  const users: unknown[] = [];
  const server = new SMTPServer({
    ...{ logger: false, closeTimeout: 100, authOptional: true, disableReverseLookup: true },
    onAuth: (auth, _session, callback) => {
      const isRight = auth.method === 'CRAM-MD5' ? auth.validatePassword('secret') : auth.password === 'secret';
      callback(isRight ? null : new Error('wrong password'), { user: auth.username });
    },
    onData: (stream, session, callback) => {
      stream.resume().on('end', () => {
        secure.push(session.secure);
        users.push(session.user);
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  );
  return { port: (listening.address() as { port: number }).port, secure, users };
}
