import { type Logger, pino } from 'pino';
import { spanOfLine } from './tracing/tracing.ts';
import { withoutSecrets } from './without-secrets.ts';

const STDOUT = 1;
/** Lines that wait until they can be written; more are dropped. */
const WAITING_MAX = 1_000_000;

/** One JSON object per line, without secrets. A program whose log cannot be written, as on a full disk, goes on, and writes again when it can. */
export function createLogger(level: string, dest: string | typeof STDOUT = STDOUT): Logger {
  const destination = pino.destination({ dest, sync: true, maxLength: WAITING_MAX });
  destination.on('error', () => undefined);
  return pino({ level, mixin: spanOfLine, hooks: { streamWrite: withoutSecrets } }, destination);
}
