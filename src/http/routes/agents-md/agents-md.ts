import type { AgentsMd } from '../../../client/agents-md/agents-md.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { agentsMdCheckRoutes } from './agents-md-checks.ts';
import { badgeRoute } from './badge.ts';
import { producerRoutes } from './producers.ts';

/** @param agentsMd undefined: every call answers `agents_md_off` */
export function agentsMdRoutes(app: HttpApp, agentsMd: AgentsMd | undefined): void {
  const checked = behindHook(app, agentsMd);
  agentsMdCheckRoutes(app, checked);
  producerRoutes(app, checked);
}

/** Apart from the others, because it may need no token. */
export function agentsMdBadgeRoute(app: HttpApp, agentsMd: AgentsMd | undefined): void {
  badgeRoute(app, behindHook(app, agentsMd));
}

function behindHook(app: HttpApp, agentsMd: AgentsMd | undefined): AgentsMd {
  if (agentsMd !== undefined) return agentsMd;
  app.addHook('onRequest', refuse);
  // Behind that hook no handler runs.
  return {} as AgentsMd;
}

async function refuse(): Promise<never> {
  throw new ProblemError(
    'agents_md_off',
    'Set AGENTS_MD_CONTACT, for the server and its Workers, to an address or URL by which a code host can reach you.',
  );
}
