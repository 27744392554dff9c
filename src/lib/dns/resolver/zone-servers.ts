import type { ZoneAnswers } from './answer.ts';

/** A name server of a zone, and whether it answered. */
export interface ZoneServer {
  readonly name: string;
  readonly answered: boolean;
}

/** The servers of the zone that holds the name; empty where no server named the zone or its servers returned an alias. */
export function zoneServersOf({ zone, answers }: ZoneAnswers): readonly ZoneServer[] {
  const isAlias = answers.some((answer) => answer.kind !== 'serverFailure' && answer.aliases.length > 0);
  if (zone === undefined || isAlias) return [];
  const answered = new Map<string, boolean>();
  for (const answer of answers) {
    const isFailure = answer.kind === 'serverFailure';
    if (isFailure && answer.isResolver === true) continue;
    // `ns1.example.net (192.0.2.1)`
    const name = answer.server.split(' ', 1)[0] ?? '';
    answered.set(name, answered.get(name) === true || !isFailure);
  }
  return [...answered].map(([name, hasAnswered]) => ({ name, answered: hasAnswered }));
}
