import type { ZoneAnswers } from './answer.ts';

/** A name server of a zone, and whether it answered. */
export interface ZoneServer {
  readonly name: string;
  readonly answered: boolean;
}

/** `ns1.example.net` of `ns1.example.net (192.0.2.1)`. */
export const hostOf = (server: string): string => server.split(' ', 1)[0] ?? '';

/** The servers of the zone that holds the name; empty where no server named the zone or its servers returned an alias. */
export function zoneServersOf({ zone, answers }: ZoneAnswers): readonly ZoneServer[] {
  const isAlias = answers.some((answer) => answer.kind !== 'serverFailure' && answer.aliases.length > 0);
  if (zone === undefined || isAlias) return [];
  const answered = new Map<string, boolean>();
  for (const answer of answers) {
    const isFailure = answer.kind === 'serverFailure';
    if (isFailure && answer.isResolver === true) continue;
    const name = hostOf(answer.server);
    answered.set(name, answered.get(name) === true || !isFailure);
  }
  return [...answered].map(([name, hasAnswered]) => ({ name, answered: hasAnswered }));
}
