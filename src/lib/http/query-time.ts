import { refusal } from './problem.ts';

/**
 * The instant of a query parameter, or a field of the body, with the format `date-time`. RFC 3339 section 5.6 allows a leap second, which has none in Unix time:
 * refused with `malformed`.
 */
export function queryTime(name: string, given: string): Date;
export function queryTime(name: string, given: string | undefined): Date | undefined;
export function queryTime(name: string, given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (!Number.isNaN(time.getTime())) return time;
  const detail = `Expected a time of RFC 3339 that is not a leap second; found ${JSON.stringify(given)}.`;
  throw refusal([{ pointer: `/${name}`, code: 'malformed', detail }]);
}
