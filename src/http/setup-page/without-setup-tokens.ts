import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/** The token in a setup page's address is a credential, so the log has none. */
export const withoutSetupTokens = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  logger.child({}, { serializers: { req: loggedRequest } });

const loggedRequest = ({ method, url, host, ip, socket }: FastifyRequest) => ({
  ...{ method, host, url: withoutToken(url), remoteAddress: ip, remotePort: socket.remotePort },
});

/** Also of paths that no route has, in any spelling of `setup`, and of whole URLs (RFC 9112 section 3.2.2). */
const withoutToken = (url: string): string => {
  const path = url
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /^\/+setup(?:[/?]|$)/i.test(path) && !/^\/+setup\/assets\//i.test(path) ? '/setup/(token)' : url;
};
