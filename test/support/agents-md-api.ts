import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { createAgentsMd } from '../../src/client/agents-md/agents-md.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import { type AgentsMdEnvironment, withChecks } from './agents-md-environment.ts';
import { holdOpen } from './hold-open.ts';
import { httpDependencies } from './http-dependencies.ts';
import { request } from './http-requests.ts';

export interface AgentsMdApi extends AgentsMdEnvironment {
  readonly app: FastifyInstance;
  readonly call: (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<LightMyRequestResponse>;
}

/** The HTTP API in front of an environment of the check, which may have no Workers. */
export function agentsMdApi(environment: AgentsMdEnvironment, { publicBadges = false } = {}): AgentsMdApi {
  const { server, checks, producers } = environment;
  const app = buildHttpApp(
    httpDependencies({
      agentsMd: createAgentsMd(server.environment.client, {
        checks,
        producers,
        requestsPerSecond: 1,
        publicBadges,
        uiUrl: 'http://ui.test',
      }),
    }),
  );
  return {
    ...environment,
    app,
    call: (...asked) => request(app, ...asked),
  };
}

/** With its own Workers, server and code host, for all tests of a file. */
export async function startAgentsMdApi(
  options?: Parameters<typeof withChecks>[1],
): Promise<AgentsMdApi & { readonly stop: () => Promise<void> }> {
  const { environment, stop } = await holdOpen<AgentsMdEnvironment>((use) => withChecks(use, options));
  const api = agentsMdApi(environment);
  return {
    ...api,
    async stop() {
      await api.app.close();
      await stop();
    },
  };
}
