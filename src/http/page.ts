import { createHash } from 'node:crypto';
import { refusal } from '../lib/http/problem.ts';

const CHECK_SUM_BYTES = 6;

/** The last entry of a page: the time by which the list is sorted, empty if it is not, and the ID. */
export type Position = readonly [time: string, id: string];

/** Opaque, with a checksum: one that was altered, or is of another list, would show another page, or none. */
export function cursorOf(list: string, position: Position): string {
  const text = position.join(' ');
  const checkSum = createHash('sha256').update(`${list} ${text}`).digest().subarray(0, CHECK_SUM_BYTES);
  return Buffer.concat([checkSum, Buffer.from(text)]).toString('base64url');
}

/** Refuses what is no cursor of this list. */
export function positionOf(list: string, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').subarray(CHECK_SUM_BYTES).toString();
  const [, time, id] = /^([\dTZ:.-]*) ([\w.-]+)$/.exec(text) ?? [];
  if (time !== undefined && id !== undefined && cursorOf(list, [time, id]) === cursor) return [time, id];
  const detail = 'cursor must be the next_cursor of a page of this list.';
  throw refusal([{ pointer: '/cursor', code: 'malformed', detail }]);
}

/** @param entries one more than `limit` if there is a next page */
export function toPage<Entry>(
  entries: readonly Entry[],
  limit: number,
  cursorAfter: (last: Entry) => string,
): { data: Entry[]; next_cursor: string | null } {
  const data = entries.slice(0, limit);
  const last = entries.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : cursorAfter(last) };
}
