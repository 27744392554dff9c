import type { CreateTableBuilder, Kysely } from 'kysely';

/** `key` is the text that identifies a row, `number` one that no later row has again. `?`: may be null. `→`: the `id` of a row there. */
type Column =
  'key' | 'number' | 'text' | 'text?' | 'text unique' | `text → ${string}` | 'integer' | 'integer?' | 'integer from 0';

interface NewTable {
  readonly columns: Readonly<Record<string, Column>>;
  /** Unless a column is `key` or `number`. */
  readonly key?: readonly string[];
  readonly unique?: readonly string[];
  /** By name, the columns of each. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
}

export type NewTables = Readonly<Record<string, NewTable>>;

/** The columns of the primary key. */
export const keyOf = ({ columns, key }: NewTable): readonly string[] =>
  key ?? Object.keys(columns).filter((column) => columns[column] === 'key' || columns[column] === 'number');

/** Creates tables, in their order. For migrations: what it makes of a description never changes. */
export async function createTables({ schema }: Kysely<unknown>, tables: NewTables): Promise<void> {
  for (const [name, { columns, key, unique, indexes = {} }] of Object.entries(tables)) {
    let table: CreateTableBuilder<string, string> = schema.createTable(name);
    for (const [column, kind] of Object.entries(columns)) {
      const type = /^(?:integer|number)/.test(kind) ? 'integer' : 'text';
      const [, referenced] = /→ (\w+)$/.exec(kind) ?? [];
      table = table.addColumn(column, type, (builder) => {
        if (kind === 'key') return builder.notNull().primaryKey();
        if (kind === 'number') return builder.primaryKey().autoIncrement();
        if (kind.endsWith('?')) return builder;
        const required = builder.notNull();
        if (kind === 'text unique') return required.unique();
        if (kind === 'integer from 0') return required.defaultTo(0);
        return referenced === undefined ? required : required.references(`${referenced}.id`);
      });
    }
    if (key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, [...key]);
    if (unique !== undefined) table = table.addUniqueConstraint(`${name}_unique`, [...unique]);
    await table.execute();
    for (const [index, indexed] of Object.entries(indexes)) {
      await schema
        .createIndex(index)
        .on(name)
        .columns([...indexed])
        .execute();
    }
  }
}
