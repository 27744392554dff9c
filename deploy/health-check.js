// node health-check.js /livez | /readyz: exits 0 if the program of this container answers 200. A container runs one program,
// so it asks each port that a program could listen on; the others refuse the connection.
import { get } from 'node:http';

const TIMEOUT_MS = 4_000;
const { SENDOFF_PORT, EMAIL_SERVICE_PORT, SENDOFF_HEALTH_PORT, EMAIL_SERVICE_HEALTH_PORT } = process.env;
const ports = [SENDOFF_PORT || 8080, EMAIL_SERVICE_PORT || 8025, SENDOFF_HEALTH_PORT, EMAIL_SERVICE_HEALTH_PORT];
const path = process.argv[2] ?? '/livez';

/** The status and the body; undefined if nothing listens. */
const answerOf = (port) =>
  new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: TIMEOUT_MS, agent: false }, async (response) => {
      let body = '';
      for await (const part of response.setEncoding('utf8')) body += part;
      resolve({ port, status: response.statusCode, body });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
    request.on('error', ({ code, message }) =>
      resolve(code === 'ECONNREFUSED' ? undefined : { port, status: 0, body: message }),
    );
  });

const answers = (await Promise.all(ports.filter(Boolean).map(answerOf))).filter(Boolean);
for (const { port, status, body } of answers) console.log(`${port}${path}: ${status} ${body}`);
if (answers.length === 0)
  console.log('No program listens. A worker listens if SENDOFF_HEALTH_PORT or EMAIL_SERVICE_HEALTH_PORT is set');
process.exitCode = answers.length > 0 && answers.every(({ status }) => status === 200) ? 0 : 1;
