import { CompiledQuery, createQueryId, type Kysely, type KyselyPlugin } from 'kysely';
import { expect } from 'vitest';
import { isPostgres } from '../../src/lib/sql/transactions.ts';

/** One row, the rows that a query has limited before, and those that a recursive one has found by index. */
const TINY_TABLES = /^SCAN (?:installation|oldest|matches|family)(?: |$)/;
/** Of the query itself. */
const CONSTANT_ROWS = /^SCAN (?:CONSTANT ROW|\d+ CONSTANT ROWS|\d+-ROW VALUES CLAUSE)$/;
const FRAMES = 60;

export interface RecordedQueries<Schema> {
  readonly database: Kysely<Schema>;
  /** Of `src`, until now; empty on PostgreSQL. */
  readonly queries: ReadonlySet<string>;
  /** Fails when a query that `src` has run until now reads a whole table, or sorts. */
  readonly expectIndexed: () => Promise<void>;
}

/**
 * Records every query of `src` on the database, so that the tests of routes and Activities check the plans of what they
 * run, those of new queries too. Queries of the tests themselves are free.
 */
export function recordQueries<Schema>(opened: Kysely<Schema>): RecordedQueries<Schema> {
  // PostgreSQL plans by the number of rows, and here there are few. The indexes are the same.
  if (isPostgres(opened)) return { database: opened, queries: new Set(), expectIndexed: async () => undefined };
  const queries = new Set<string>();
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      if (isAskedBySource()) queries.add(opened.getExecutor().compileQuery(node, createQueryId()).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    database: opened.withPlugin(recorder),
    queries,
    expectIndexed: async () => {
      const faults: string[] = [];
      for (const query of queries) for (const step of await slowSteps(opened, query)) faults.push(`${step}: ${query}`);
      expect(faults).toEqual([]);
    },
  };
}

export const slowSteps = async <Schema>(database: Kysely<Schema>, query: string): Promise<string[]> =>
  (await planOf(database, query)).filter((step) => isSlow(step, query));

/** Of SQLite. */
export async function planOf<Schema>(database: Kysely<Schema>, query: string): Promise<string[]> {
  const { rows } = await database.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${query}`));
  return rows.map(({ detail }) => detail);
}

/** To read an index in its order is no fault where a limit ends it. https://www.sqlite.org/eqp.html */
function isSlow(step: string, query: string): boolean {
  if (step.startsWith('USE TEMP B-TREE')) return true;
  if (!step.startsWith('SCAN ') || CONSTANT_ROWS.test(step) || TINY_TABLES.test(step)) return false;
  return !(step.includes(' USING ') && /\blimit\b/i.test(query));
}

/** The innermost file of the project that asks: queries are built and started in the same turn. */
function isAskedBySource(): boolean {
  const file = callSites()
    // Without this file's own `transformQuery`.
    .slice(1)
    .map((site) => site.getFileName() ?? '')
    .find((name) => !name.includes('/node_modules/') && /\/(?:src|test)\//.test(name));
  return file?.includes('/src/') === true;
}

/** Unprepared: vitest would map each of them to its source, for each query. */
function callSites(): readonly NodeJS.CallSite[] {
  const traces = Error as { stackTraceLimit: number; prepareStackTrace?: (error: Error, sites: unknown) => unknown };
  const { stackTraceLimit, prepareStackTrace } = traces;
  const captured: { stack?: readonly NodeJS.CallSite[] } = {};
  Object.assign(traces, { stackTraceLimit: FRAMES, prepareStackTrace: (_error: Error, sites: unknown) => sites });
  Error.captureStackTrace(captured, isAskedBySource);
  const sites = captured.stack ?? [];
  Object.assign(traces, { stackTraceLimit, prepareStackTrace });
  return sites;
}
