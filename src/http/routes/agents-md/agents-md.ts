import type { AgentsMd } from '../../../client/agents-md/agents-md.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { agentsMdCheckRoutes } from './agents-md-checks.ts';
import { producerRoutes } from './producers.ts';

/** @param agentsMd undefined: every call answers `agents_md_off` */
export function agentsMdRoutes(app: HttpApp, agentsMd: AgentsMd | undefined): void {
  if (agentsMd === undefined) app.addHook('onRequest', refuse);
  // Behind that hook no handler runs.
  const { catalogue, checks } = agentsMd ?? ({ catalogue: {} } as AgentsMd);
  agentsMdCheckRoutes(app, checks);
  producerRoutes(app, catalogue);
}

async function refuse(): Promise<never> {
  throw new ProblemError(
    'agents_md_off',
    'Set AGENTS_MD_CONTACT, for the server and its Workers, to an address or URL by which a code host can reach you.',
  );
}
