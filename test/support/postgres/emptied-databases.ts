// To copy a template and to drop the copy cost PostgreSQL 50 to 100 ms of a processor, to empty a database 10: tests leave theirs to
// the next ones of their process.
import { Client } from 'pg';

/** What of a database stays when its rows are removed. */
export interface KeptState {
  /** Of tables that the migrations have filled, as JSON. */
  readonly rows: ReadonlyMap<string, string>;
  /** Changes with every object of the schema that is created, altered or dropped. */
  readonly schema: string;
}

const OURS = String.raw`nspname not like 'pg\_%' and nspname <> 'information_schema'`;
/** A row of a catalog gets the number of the transaction that has altered it. `truncate` writes none but those of pg_class. */
const CATALOGS = ['attrdef', 'attribute', 'constraint', 'index', 'namespace', 'proc', 'trigger'];

/** Of a new database. @param url of the database */
export const keptStateOf = (url: string): Promise<KeptState> =>
  connected(url, async (client) => readKeptState(client, await tablesWithRows(client)));

/**
 * Ends every other connection, and gives every table the rows of the new database.
 *
 * @returns false if the schema differs from that of the new one, by a trigger for example
 */
export const emptyDatabase = (url: string, kept: KeptState): Promise<boolean> =>
  connected(url, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const written = (await tablesWithRows(client)).filter((table) => !kept.rows.has(table));
    if (written.length > 0) await client.query(`truncate ${written.join(', ')} cascade`);
    await client.query(
      "select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences where last_value is not null",
    );
    const { rows, schema } = await readKeptState(client, [...kept.rows.keys()]);
    if (schema !== kept.schema) return false;
    for (const [table, first] of kept.rows) {
      if (rows.get(table) === first) continue;
      await client.query(`delete from ${table}`);
      await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [first]);
    }
    return true;
  });

async function tablesWithRows(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace where relkind = 'r' and ${OURS}`,
  );
  const filled = tables.map(({ name }) => `select '${name}' as name where exists (select from ${name})`);
  if (filled.length === 0) return [];
  return (await client.query<{ name: string }>(filled.join(' union all '))).rows.map(({ name }) => name);
}

async function readKeptState(client: Client, tables: readonly string[]): Promise<KeptState> {
  const rows = new Map<string, string>();
  for (const table of tables) {
    const read = `select json_agg(t order by t::text)::text as rows from ${table} t`;
    rows.set(table, (await client.query<{ rows: string }>(read)).rows[0]?.rows ?? '[]');
  }
  const versions = CATALOGS.map((name) => `(select row(count(*), max(xmin::text::bigint))::text from pg_${name})`);
  const { rows: read } = await client.query<{ schema: string }>(
    `select concat_ws(' ', ${versions.join(', ')},
       (select md5(string_agg(format('%s %s %s %s', relname, relkind, relacl, reloptions), ' ' order by pg_class.oid))
        from pg_class join pg_namespace on pg_namespace.oid = relnamespace where ${OURS})) as schema`,
  );
  return { rows, schema: read[0]?.schema ?? '' };
}

async function connected<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
