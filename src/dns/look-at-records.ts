import type { AuthoritativeResolver } from './authoritative-resolver.ts';
import { collectRecord } from './collect-record.ts';
import { diagnose } from './diagnose.ts';
import { normalName } from './domain-name.ts';
import type { DomainLook } from './domain-look.ts';
import type { ExpectedRecord } from './expected-record.ts';

export type { DomainLook } from './domain-look.ts';

export interface LookOptions {
  /**
   * Also asks the recursive resolvers about each record that is right: what they still remember, and whether DNSSEC
   * keeps it from them. For explaining why others do not see a record; it takes one exchange more.
   * @default false
   */
  readonly askCaches?: boolean;
}

/**
 * Looks at each record on the authoritative servers of the zone that holds it, and says what is there and what is wrong.
 * Rejects only for names that cannot be in DNS; servers that fail make a record `inconclusive`.
 */
export async function lookAtRecords(
  resolver: AuthoritativeResolver,
  domain: string,
  expected: readonly ExpectedRecord[],
  { askCaches = false }: LookOptions = {},
): Promise<DomainLook> {
  const name = normalName(domain);
  const look = { domain: name, askCaches, resolver: askingOnce(resolver) };
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
