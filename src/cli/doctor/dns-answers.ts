import { getServers } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { CannotCheck } from './check.ts';

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 1;

/** @param servers of DNS_RESOLVERS. @default those of the machine */
export function resolverOf(servers: readonly string[] = getServers()): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  resolver.setServers(servers);
  return resolver;
}

/** Empty if there is no such record. Throws CannotCheck if no resolver answers. */
export async function answersOf<Answer>(ask: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw new CannotCheck('not checked: see DNS resolvers');
  }
}
