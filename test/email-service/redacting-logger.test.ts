import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { redactingLogger } from '../../src/email-service/redacting-logger.ts';

describe('redactingLogger', () => {
  it('leaves out secrets at any of three depths, in its children as well', () => {
    const lines: string[] = [];
    const logger = redactingLogger(pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }));
    logger.info({ token: 'hunter2', answer: { signing_secret: 'hunter2', id: 'whk_1' } });
    logger.child({ reqId: 'req_1' }).error({ req: { headers: { authorization: 'Bearer hunter2' } } }, 'failed');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).toContain('whk_1');
    expect(lines.join('')).toContain('failed');
  });
});
