import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/** The token in a setup page's address is a credential, so the log has none. */
export const withoutSetupTokens = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  logger.child({}, { serializers: { req: loggedRequest } });

const loggedRequest = ({ method, url, host, ip, socket }: FastifyRequest) => ({
  ...{ method, host, url: withoutToken(url), remoteAddress: ip, remotePort: socket.remotePort },
});

/** Also of paths that no route has, in any spelling of `setup`. */
const withoutToken = (url: string): string => {
  const [, first = '', rest = ''] = /^(\/+[^/?]*)(.*)$/s.exec(url) ?? [];
  const isSetup = first.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (isSetup.replaceAll('/', '').toLowerCase() !== 'setup' || rest.startsWith('/assets/')) return url;
  return `${first}/(token)`;
};
