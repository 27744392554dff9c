import type { FastifyInstance } from 'fastify';
import { areMetricsExported, counter, histogram } from '../metrics/metrics.ts';

interface RequestLabels extends Readonly<Record<string, string>> {
  readonly method: string;
  /** The pattern of the route, such as `/onboardings/:tenantId`; `none` if there is no such route. */
  readonly route: string;
  readonly status_class: string;
}

const requests = counter<RequestLabels>('sendoff_http_requests', 'Answered HTTP requests.');
const durations = histogram<RequestLabels>(
  'sendoff_http_request_duration_seconds',
  'From the arrival of an HTTP request to the end of its answer.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);

export function measureRequests(app: FastifyInstance): void {
  if (!areMetricsExported()) return;
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status_class: `${String(Math.floor(reply.statusCode / 100))}xx`,
    };
    requests.add(labels);
    durations.record(reply.elapsedTime / 1_000, labels);
    done();
  });
}
