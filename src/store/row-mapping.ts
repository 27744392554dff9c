// Rows of a table from the fields of what it stores, so that a field is named once: `tenantId` is in the column `tenant_id`.

export interface Columns<Item> {
  readonly asIs: readonly (keyof Item & string)[];
  /** As JSON; null stays null. */
  readonly asJson: readonly (keyof Item & string)[];
}

type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : '';

export type RowOf<Item, Of extends Columns<Item>> = {
  [Field in Of['asIs'][number] as ColumnName<Field>]: Item[Field];
} & { [Field in Of['asJson'][number] as ColumnName<Field>]: string | Extract<Item[Field], null> };

type Conversion = readonly (readonly [from: string, to: string, convert: (value: never) => unknown])[];

/** A loop, because each read and each write of the register runs it. */
function converted(item: object, conversion: Conversion): unknown {
  const result: Record<string, unknown> = {};
  for (const [from, to, convert] of conversion) {
    const value: unknown = item[from as keyof typeof item];
    result[to] = value === null ? null : convert(value as never);
  }
  return result;
}

export function rowMapping<Item extends object, const Of extends Columns<Item>>({ asIs, asJson }: Of) {
  type Fields = Pick<Item, (Of['asIs'] | Of['asJson'])[number]>;
  const columnOf = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const same = (value: unknown) => value;
  const toRow: Conversion = [
    ...asIs.map((field) => [field, columnOf(field), same] as const),
    ...asJson.map((field) => [field, columnOf(field), JSON.stringify] as const),
  ];
  const toFields = toRow.map(([field, column, to]) => [column, field, to === same ? same : JSON.parse] as const);
  return {
    toRow: (item: Fields) => converted(item, toRow) as RowOf<Item, Of>,
    toFields: (row: RowOf<Item, Of>) => converted(row, toFields) as Fields,
  };
}
