import type { Logger } from 'pino';

/** Fields that would hold a secret wherever they were logged by accident; bodies and headers are never logged on purpose. */
const SECRET_FIELDS = ['authorization', 'token', 'signing_secret', 'operatorToken', 'privateKey', 'encryptionKeys'];
const DEPTHS = ['', '*.', '*.*.'];

/** The same logger, with the values of fields that hold secrets left out. */
export const redactingLogger = (logger: Logger): Logger =>
  logger.child({}, { redact: DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => `${depth}${field}`)) });
