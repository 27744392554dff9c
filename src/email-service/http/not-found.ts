import { ProblemError } from '../../lib/http/problem.ts';

/** The same answer for an unknown id and another account's: it does not reveal which ids exist elsewhere. */
export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError('not_found', `This account has no ${what} with the id ${JSON.stringify(id)}.`);
