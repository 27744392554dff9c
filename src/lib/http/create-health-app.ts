import { createHttpApp, type HttpApp } from './create-http-app.ts';
import { problemSchema } from './problem.ts';

/** Probes have no body. */
const BODY_BYTES_MAX = 1_024;

/** For a process without an HTTP API: answers only what `routes` adds, and logs no probe. */
export function createHealthApp(program: Parameters<typeof problemSchema>[0], routes: (app: HttpApp) => void): HttpApp {
  const app = createHttpApp({ logger: undefined, bodyLimit: BODY_BYTES_MAX, realm: program, patternMeanings: {} });
  app.addSchema(problemSchema(program));
  routes(app);
  return app;
}
