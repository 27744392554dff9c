// A search matches beginnings, because both databases find those in an ordinary index; a search within words would need an extension of
// PostgreSQL.
import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema } from '../database.ts';
import { searchedIn } from '../searched-in.ts';
import type { RecordFilter, RecordPosition, StoredRecord } from './register.ts';
import { toRecord } from './register-rows.ts';

interface Page {
  readonly limit: number;
  readonly after?: RecordPosition | undefined;
}

type Condition = Expression<SqlBool>;

/** See Register. Finds the rows of the page in indexes, and reads no other row. */
export async function listRecords(
  database: Kysely<Schema>,
  { text, finding, ...filter }: RecordFilter,
  page: Page,
): Promise<StoredRecord[]> {
  const conditions = conditionsOf(filter);
  const found =
    text !== undefined
      ? await findByText(database, text, finding === undefined ? conditions : [...conditions, has(finding)], page)
      : finding !== undefined
        ? await findByFinding(database, finding, conditions, page)
        : await readInOrder(database, conditions, page);
  const ids = [...new Set(found.sort(latestFirst).map(({ tenantId }) => tenantId))].slice(0, page.limit);
  if (ids.length === 0) return [];
  const rows = await database.selectFrom('onboardings').selectAll().where('tenant_id', 'in', ids).execute();
  return rows.map(toRecord).sort(latestFirst);
}

const latestFirst = (one: RecordPosition, other: RecordPosition): number =>
  compare(other.startedAt, one.startedAt) || compare(other.tenantId, one.tenantId);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const onboarding = expressionBuilder<Schema, 'onboardings'>();
const position = ['onboardings.tenant_id as tenantId', 'onboardings.started_at as startedAt'] as const;

const conditionsOf = ({
  stage,
  outcome,
  exit,
  needsAttention,
  stuck,
  waitingSinceBefore,
}: RecordFilter): Condition[] => [
  ...(stage === undefined ? [] : [onboarding('stage', '=', stage)]),
  ...(outcome === undefined ? [] : [onboarding('outcome', '=', outcome)]),
  ...(exit === undefined ? [] : [onboarding('exit', '=', exit)]),
  ...(needsAttention === undefined ? [] : [onboarding('needs_attention', '=', needsAttention ? 1 : 0)]),
  ...(stuck === undefined ? [] : [onboarding('stuck', '=', stuck ? 1 : 0)]),
  ...(waitingSinceBefore === undefined
    ? []
    : [
        onboarding('outcome', '=', 'running'),
        onboarding('stage_since', '<', waitingSinceBefore),
        // Follows from it, and skips later starts in the index.
        onboarding('started_at', '<', waitingSinceBefore),
      ]),
];

const has = (finding: string): Condition =>
  onboarding.exists(
    onboarding
      .selectFrom('onboarding_findings')
      .select('code')
      .where('code', '=', finding)
      .whereRef('onboarding_findings.tenant_id', '=', 'onboardings.tenant_id'),
  );

const isAfter = (table: 'onboardings' | 'onboarding_findings', { startedAt, tenantId }: RecordPosition): Condition =>
  sql<SqlBool>`(${sql.ref(`${table}.started_at`)}, ${sql.ref(`${table}.tenant_id`)}) < (${startedAt}, ${tenantId})`;

function readInOrder(
  database: Kysely<Schema>,
  conditions: readonly Condition[],
  { limit, after }: Page,
): Promise<RecordPosition[]> {
  let query = database.selectFrom('onboardings').select(position).where(onboarding.and(conditions));
  if (after !== undefined) query = query.where(isAfter('onboardings', after));
  return query.orderBy('started_at', 'desc').orderBy('tenant_id', 'desc').limit(limit).execute();
}

/** Matches of a text from which on the list in its order soon has enough. */
const FEW = 1_000;
const LAST_CHARACTER = '\u{10FFFF}';

async function findByText(
  database: Kysely<Schema>,
  text: string,
  conditions: readonly Condition[],
  page: Page,
): Promise<RecordPosition[]> {
  const { tenant, domain, parentDomain } = searchedIn(database);
  const beginning = text.toLowerCase();
  const beginsIn = (searched: Expression<string>) =>
    database
      .selectFrom('onboardings')
      .select('tenant_id')
      .where(searched, '>=', beginning)
      .where(searched, '<', beginning + LAST_CHARACTER);
  const matches = beginsIn(tenant)
    .unionAll(beginsIn(domain))
    .unionAll(beginsIn(parentDomain))
    .limit(FEW + 1);
  if ((await matches.execute()).length > FEW) {
    const pattern = `${beginning.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const like = (searched: Expression<string>) => sql<SqlBool>`${searched} like ${pattern} escape '\\'`;
    return readInOrder(database, [...conditions, onboarding.or([tenant, domain, parentDomain].map(like))], page);
  }
  // SQLite keeps the order of a cross join: it reads the matches, not all that meet the other conditions.
  let query = database
    .with('matches', () => matches)
    .selectFrom('matches')
    .crossJoin('onboardings')
    .whereRef('onboardings.tenant_id', '=', 'matches.tenant_id')
    .select(position)
    .where(onboarding.and(conditions));
  if (page.after !== undefined) query = query.where(isAfter('onboardings', page.after));
  return query.execute();
}

async function findByFinding(
  database: Kysely<Schema>,
  finding: string,
  conditions: readonly Condition[],
  { limit, after }: Page,
): Promise<RecordPosition[]> {
  let having = database
    .selectFrom('onboarding_findings')
    .crossJoin('onboardings')
    .whereRef('onboardings.tenant_id', '=', 'onboarding_findings.tenant_id')
    .where('code', '=', finding)
    .select(position)
    .where(onboarding.and(conditions));
  if (after !== undefined)
    having = having.where(isAfter('onboardings', after)).where(isAfter('onboarding_findings', after));
  return having
    .orderBy('onboarding_findings.started_at', 'desc')
    .orderBy('onboarding_findings.tenant_id', 'desc')
    .limit(limit)
    .execute();
}
