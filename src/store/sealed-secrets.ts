import type { Database } from './database.ts';

const PAGE_ROWS = 500;

/** Reads a page at a time. */
export async function* sealedSecrets(database: Database): AsyncGenerator<{ sealed: string; context: string }> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: { ref: string; sealed: string }[] = await database
      .selectFrom('secrets')
      .select(['ref', 'sealed'])
      .where('ref', '>', last)
      .orderBy('ref')
      .limit(PAGE_ROWS)
      .execute();
    for (const { ref, sealed } of rows) yield { sealed, context: ref };
    last = rows.at(-1)?.ref;
  }
}
