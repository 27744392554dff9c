import type { FastifyInstance } from 'fastify';

/** Answers which methods the routes support that match a path, for `Allow` (RFC 9110 section 10.2.1). */
export function methodsByPath(app: FastifyInstance): (path: string) => string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const literal = url.replaceAll('.', '\\.');
    const pattern = new RegExp(`^${literal.replace(/:[^/]+/g, '[^/]+').replaceAll('*', '.*')}$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  return (path) => {
    const methods = routes.flatMap(({ pattern, methods: own }) => (pattern.test(path) ? own : []));
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort();
  };
}
