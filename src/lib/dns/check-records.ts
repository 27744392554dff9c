import type { AuthoritativeResolver } from './resolver/authoritative-resolver.ts';
import { collectRecord } from './collect/collect-record.ts';
import { diagnose } from './findings/diagnose.ts';
import { normalName } from './names/domain-name.ts';
import type { DomainCheck } from './domain-check.ts';
import type { ExpectedRecord } from './expected-record.ts';

export type { DomainCheck } from './domain-check.ts';

/**
 * Checks each record on the authoritative servers of the zone that holds it, and reports what is there and what is
 * wrong. A record that is right there is checked with the recursive resolvers too, because receivers that validate get
 * nothing from a zone whose signatures do not fit. Rejects only for names that cannot be in DNS; servers that fail make
 * a record `inconclusive`.
 */
export async function checkRecords(
  resolver: AuthoritativeResolver,
  domain: string,
  expected: readonly ExpectedRecord[],
): Promise<DomainCheck> {
  const name = normalName(domain);
  const look = { domain: name, now: () => performance.now(), resolver: askingOnce(resolver) };
  return diagnose(name, await Promise.all(expected.map((record) => collectRecord(look, record))));
}

/** Records of one domain lead to the same questions; within one look the answer is the same. */
function askingOnce(resolver: AuthoritativeResolver): AuthoritativeResolver {
  const asked = new Map<string, ReturnType<AuthoritativeResolver['lookUp']>>();
  return {
    askCaches: (question) => resolver.askCaches(question),
    lookUp(name, type) {
      const question = `${type} ${name}`;
      const answers = asked.get(question) ?? resolver.lookUp(name, type);
      asked.set(question, answers);
      return answers;
    },
  };
}
