import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { HostUrls } from '../../src/agents-md/code-host.ts';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

export interface LocalCodeHost {
  /** For every part of the host. */
  readonly urls: HostUrls;
  /** In the order of their arrival. */
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** What a path answers from now on: a status, a text (200), or anything at all. Unknown paths answer 404. */
  readonly serve: (path: string, answer: number | string | RequestListener) => void;
  /** What every other path answers from now on. */
  readonly serveOthers: (answer: RequestListener) => void;
  /** The paths that were asked for, in their order. */
  readonly asked: () => string[];
  readonly stop: () => Promise<void>;
}

/** A code host on loopback that gives scripted answers and records every request. */
export async function startLocalCodeHost(): Promise<LocalCodeHost> {
  const answers = new Map<string, number | string | RequestListener>();
  let otherwise: number | RequestListener = 404;
  const requests: LocalCodeHost['requests'] = [];
  const { url, stop } = await serveOnLoopback((request, response) => {
    const path = request.url ?? '';
    requests.push({ method: request.method ?? '', path, headers: request.headers });
    const answer = answers.get(path) ?? otherwise;
    if (typeof answer === 'function') answer(request, response);
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(answer);
  });
  return {
    urls: { web: url, raw: url, api: url },
    requests,
    serve: (path, answer) => void answers.set(path, answer),
    serveOthers: (answer) => {
      otherwise = answer;
    },
    asked: () => requests.map(({ path }) => path),
    stop,
  };
}
