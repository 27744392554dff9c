import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { type AnswerServer, startAnswerServer } from '../support/answer-server.ts';

const script = fileURLToPath(new URL('../../deploy/health-check.js', import.meta.url));
let status = 200;
let closed = '';
let program: AnswerServer;

beforeAll(async () => {
  program = await startAnswerServer(({ path }, response) =>
    response.writeHead(path === '/readyz' ? status : 404).end(JSON.stringify({ path })),
  );
  closed = String(await freePort());
});
beforeEach(() => {
  status = 200;
});
afterAll(() => program.close());

const open = (): string => String(program.port);

/** With the settings of a container whose program listens on the ports of these variables only. */
const check = (listening: readonly string[], path = '/readyz') =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const names = ['SENDOFF_PORT', 'EMAIL_SERVICE_PORT', 'SENDOFF_HEALTH_PORT', 'EMAIL_SERVICE_HEALTH_PORT'];
    const env = Object.fromEntries(names.map((name) => [name, listening.includes(name) ? open() : closed]));
    execFile(process.execPath, [script, path], { env }, (error, text) => {
      resolve({ code: error === null ? 0 : Number(error.code), text });
    });
  });

test.each(['SENDOFF_PORT', 'EMAIL_SERVICE_PORT', 'SENDOFF_HEALTH_PORT', 'EMAIL_SERVICE_HEALTH_PORT'])(
  'the program that listens on %s is healthy if it answers 200',
  async (name) => {
    expect(await check([name])).toEqual({ code: 0, text: `${open()}/readyz: 200 {"path":"/readyz"}\n` });
  },
);

test('shows the answer of a program that is not ready', async () => {
  status = 503;
  expect(await check(['SENDOFF_PORT'])).toEqual({ code: 1, text: `${open()}/readyz: 503 {"path":"/readyz"}\n` });
});

test('names the settings of a Worker if no program listens', async () => {
  const { code, text } = await check([], '/livez');
  expect(code).toBe(1);
  expect(text).toContain('SENDOFF_HEALTH_PORT or EMAIL_SERVICE_HEALTH_PORT');
});
