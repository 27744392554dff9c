import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/lib/create-logger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a log that cannot be written stops nothing', () => {
  const logger = createLogger('info', '/dev/full');
  for (let line = 0; line < 100; line += 1) {
    expect(() => {
      logger.info({ filler: 'x'.repeat(20_000) }, 'a line');
    }).not.toThrow();
  }
});

test('a log has one JSON object per line, from its level on', () => {
  const folder = temporaryFolder();
  const logger = createLogger('warn', join(folder, 'log'));
  logger.info('not this');
  logger.warn({ part: 'mail' }, 'this');
  const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 40, part: 'mail', msg: 'this' }),
  ]);
});

test('a log has no credential, in whatever field or error it is', () => {
  const folder = temporaryFolder();
  const logger = createLogger('info', join(folder, 'log'));
  logger.info({ token: 'hunter2', answer: { signing_secret: 'hunter2', id: 'whk_1' } });
  logger.child({ reqId: 'req_1' }).error({ req: { headers: { authorization: 'Bearer hunter2' } } }, 'failed');
  logger.warn({ err: new Error('connect postgres://sendoff:hunter2@db/x') }, 'password=hunter2');
  const log = readFileSync(join(folder, 'log'), 'utf8');
  expect(log).not.toContain('hunter2');
  for (const kept of ['whk_1', 'req_1', 'failed', '@db/x', 'create-logger.test.ts']) expect(log).toContain(kept);
  for (const line of log.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
});
