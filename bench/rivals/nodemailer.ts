// What sendoff's email service is compared with: an HTTP handler that signs and sends, and forgets what it has not sent when it ends.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';

const { PORT = '', SMTP_PORT = '', POOL = '' } = process.env;
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const transport = createTransport({
  ...{ host: '127.0.0.1', port: Number(SMTP_PORT), secure: false, pool: POOL === 'true' },
  dkim: { domainName: 'sender-0.test', keySelector: 'bench', privateKey },
} as Parameters<typeof createTransport>[0]);

createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.method === 'POST') {
      const { recipient, subject, body } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      await transport.sendMail({ from: 'hello@sender-0.test', to: recipient, subject, text: body });
    }
    response.end();
  })().catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
}).listen(Number(PORT), '127.0.0.1');
