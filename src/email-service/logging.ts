import { pino, type Logger } from 'pino';

/** Fields that would hold a credential wherever they were logged by accident; bodies and headers are never logged on purpose. */
const SECRET_FIELDS = ['authorization', 'token', 'signing_secret', 'operatorToken', 'privateKey'];

/** JSON lines on standard output. */
export const createLogger = (level: string): Logger =>
  pino({
    level,
    redact: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  });
