import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/**
 * A logger whose requests have a path, and of their query the names of the parameters that the route declares: a value, and a name
 * that no route has, may be a credential.
 * @param loggedPath what the log shows of a path
 */
export const withLoggedRequests = (
  logger: FastifyBaseLogger,
  loggedPath: (path: string) => string,
): FastifyBaseLogger =>
  logger.child(
    {},
    {
      serializers: {
        req: (request: FastifyRequest) => {
          const { method, url, host, ip, socket } = request;
          const [path = '', query = ''] = url.split(/\?(.*)/s);
          const sent = new URLSearchParams(query);
          const names = declaredParameters(request).filter((name) => sent.has(name));
          const shown = names.length === 0 ? '' : `?${names.join('&')}`;
          return { method, host, url: loggedPath(path) + shown, remoteAddress: ip, remotePort: socket.remotePort };
        },
      },
    },
  );

function declaredParameters({ routeOptions }: FastifyRequest): readonly string[] {
  const { querystring } = (routeOptions.schema ?? {}) as { readonly querystring?: { readonly properties?: object } };
  return Object.keys(querystring?.properties ?? {});
}
