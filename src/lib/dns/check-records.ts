import { questionKey } from './resolver/answer.ts';
import type { AuthoritativeResolver } from './resolver/authoritative-resolver.ts';
import { collectRecord, isToBeSearched, type CollectContext } from './collect/collect-record.ts';
import { searchPlaces, type SearchContext } from './collect/search-places.ts';
import { diagnose } from './findings/diagnose.ts';
import { normalName } from './names/domain-name.ts';
import type { DomainCheck } from './domain-check.ts';
import type { ExpectedRecord } from './expected-record.ts';
import { newKnownZones, type KnownZones } from './resolver/walk.ts';

/**
 * Checks each record on the authoritative servers of the zone that holds it. A record that is right there is checked with the
 * recursive resolvers as well, because validating receivers get nothing from a zone with invalid signatures. Failing
 * servers make a record `inconclusive`.
 *
 * @param domain the sending domain; in any case, with or without a final dot
 * @throws TypeError for a name that cannot be in DNS
 */
export async function checkRecords(
  resolver: AuthoritativeResolver,
  domain: string,
  expected: readonly ExpectedRecord[],
): Promise<DomainCheck> {
  const name = normalName(domain);
  const known = newKnownZones();
  const context: SearchContext = {
    domain: name,
    now: () => performance.now(),
    resolver: askingOnce(resolver, known),
    lookUpAgain: (asked, type) => resolver.lookUp(asked, type, known),
    names: [...new Set(expected.map((record) => record.name))],
    lookUpAtOne: (asked, type) => resolver.lookUpAtOne(asked, type, known),
  };
  const collected = await Promise.all(expected.map((record) => collectRecord(context, record)));
  const searched = await searchPlaces(context, collected.filter(isToBeSearched));
  return diagnose(
    name,
    collected.map((record) => searched.get(record) ?? record),
  );
}

/** The records of a domain lead to the same questions and zones, which one check asks for only once. */
function askingOnce(resolver: AuthoritativeResolver, known: KnownZones): CollectContext['resolver'] {
  const asked = new Map<string, ReturnType<AuthoritativeResolver['lookUp']>>();
  return {
    askCaches: (question) => resolver.askCaches(question),
    lookUp(name, type) {
      const question = questionKey({ name, type });
      const answers = asked.get(question) ?? resolver.lookUp(name, type, known);
      asked.set(question, answers);
      return answers;
    },
  };
}
