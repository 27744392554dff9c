import type { SetupProblem, SetupRecord } from '../setup-view.ts';
import type { SetupTexts } from './setup-texts.ts';

/** The facts that the sentences about a problem may name. Names are absolute. */
export interface ProblemFacts {
  readonly purpose: string;
  readonly type: string;
  /** Name of the record. */
  readonly name: string;
  readonly zone: string;
  /** Mail server of an MX record; otherwise empty. */
  readonly mailServer: string;
  /** Where the problem was seen, and its host in the zone. */
  readonly at: string;
  readonly atHost: string;
  /** Whether the fields to enter follow the sentences. */
  readonly hasFields: boolean;
}

type Sentences<Code extends string> = Readonly<Record<Code, string | ((seen: ProblemFacts) => string)>>;

/** Turns a table of sentences into one of functions of a problem. */
export const problemTexts = <Code extends keyof SetupTexts['problems']>(sentences: Sentences<Code>) =>
  Object.fromEntries(
    Object.entries<Sentences<Code>[Code]>(sentences).map(([code, sentence]) => [
      code,
      (problem: SetupProblem, record: SetupRecord) =>
        typeof sentence === 'string' ? sentence : sentence(factsOf(problem, record)),
    ]),
  ) as Record<Code, SetupTexts['problems'][Code]>;

function factsOf(
  { name: at, hasFields }: SetupProblem,
  { purpose, type, name, value, form }: SetupRecord,
): ProblemFacts {
  const { zone } = form;
  return {
    ...{ purpose, type, name, zone, at, hasFields },
    mailServer: type === 'MX' ? value.replace(/^\d+\s+/, '').replace(/\.$/, '') : '',
    atHost: at === zone ? '@' : at.endsWith(`.${zone}`) ? at.slice(0, -zone.length - 1) : at,
  };
}
