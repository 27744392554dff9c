import { Resolver } from 'node:dns/promises';

/** The signature of `dns.promises.resolve` that mailauth asks with. */
export type MailauthResolver = (name: string, type: string) => Promise<string[] | string[][]>;

/**
 * Look-ups for mailauth through the given resolvers. Errors keep their code: mailauth takes ENOTFOUND and ENODATA as
 * "there is nothing" and everything else as a temporary failure, so nothing may be turned into nothing here.
 */
export function dnsLookup(resolvers: readonly string[]): MailauthResolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers(resolvers);
  return async (name, type) => (await resolver.resolve(name, type)) as string[] | string[][];
}
