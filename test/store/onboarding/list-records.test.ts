import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordFilter, RecordPosition } from '../../../src/store/onboarding/register.ts';
import { recordQueries } from '../../support/record-queries.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

/** More than one search puts in order. */
const TENANTS = 1_200;

interface Tenant {
  readonly id: string;
  readonly domain: string;
  readonly startedAt: string;
  readonly outcome: string;
  readonly finding: string | undefined;
}

/** Few share a domain, all the beginning of their ID. */
const tenants: readonly Tenant[] = Array.from({ length: TENANTS }, (_, n) => ({
  id: `${n % 2 === 0 ? 'Cust' : 'cust'}_${n}`,
  domain: `${['mail', 'm', 'news.eu'][n % 3] ?? ''}.acme-${n % 7}.${n % 5 === 0 ? 'com' : 'example'}`,
  startedAt: new Date(Date.UTC(2026, 0, 1 + (n % 11))).toISOString(),
  outcome: n % 4 === 0 ? 'running' : 'onboarded',
  finding: [undefined, 'mx_missing', 'host_doubled'][n % 9],
}));

let opened: TestRegister;
beforeAll(async () => {
  opened = await openTestRegister();
  const { register, database } = opened;
  await beginOnboarding(register, 'original');
  const { tenant_id: original, ...columns } = await database
    .selectFrom('onboardings')
    .selectAll()
    .executeTakeFirstOrThrow();
  for (let from = 0; from < TENANTS; from += 100) {
    const page = tenants.slice(from, from + 100);
    await database
      .insertInto('onboardings')
      .values(
        page.map(({ id, domain, startedAt, outcome }) => ({
          ...{ ...columns, tenant_id: id, domain, started_at: startedAt },
          outcome: outcome as 'running',
        })),
      )
      .execute();
    await database
      .insertInto('onboarding_findings')
      .values(
        page.flatMap(({ id, finding, startedAt }) =>
          finding === undefined ? [] : [{ tenant_id: id, code: finding, started_at: startedAt }],
        ),
      )
      .execute();
  }
  await database.deleteFrom('onboardings').where('tenant_id', '=', original).execute();
});
afterAll(() => opened.end());

const matching = ({ text = '', outcome, finding }: RecordFilter): string[] => {
  const beginning = text.toLowerCase();
  return tenants
    .filter(({ id, domain }) =>
      [id.toLowerCase(), domain, domain.slice(domain.indexOf('.') + 1)].some((searched) =>
        searched.startsWith(beginning),
      ),
    )
    .filter((tenant) => outcome === undefined || tenant.outcome === outcome)
    .filter((tenant) => finding === undefined || tenant.finding === finding)
    .sort((one, other) => (`${one.startedAt} ${one.id}` < `${other.startedAt} ${other.id}` ? 1 : -1))
    .map(({ id }) => id);
};

async function allPages(filter: RecordFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: RecordPosition | undefined; ;) {
    const page = await opened.register.list(filter, { limit, after });
    ids.push(...page.map(({ tenantId }) => tenantId));
    after = page.at(-1);
    if (page.length < limit) return ids;
  }
}

test.each<RecordFilter>([
  {},
  { text: 'CUST_' },
  { text: 'CUST_', outcome: 'running', finding: 'mx_missing' },
  { text: 'cust_77' },
  { text: 'cust_7', outcome: 'running' },
  { text: 'cust_1', finding: 'host_doubled' },
  { text: 'mail.acme-3.' },
  { text: 'acme-3' },
  { text: 'Acme-3.com', outcome: 'onboarded' },
  { text: 'eu.acme-3.example' },
  { text: 'cme-3' },
  { text: '%' },
  { text: 'cust%' },
  { text: 'custX1' },
  { finding: 'mx_missing' },
  { finding: 'host_doubled', outcome: 'running' },
  { finding: 'not_published' },
])('lists all that meet %j, page by page, the latest start first', async (filter) => {
  expect(await allPages(filter, 50)).toEqual(matching(filter));
});

test('reads in the order of an index, and by the searched text where few onboardings match', async () => {
  const { database, queries, expectIndexed } = recordQueries(opened.database);
  const register = createSqlRegister(database);
  expect(await register.list({ text: 'cust_77', outcome: 'running' }, { limit: 10 })).not.toEqual([]);
  expect([...queries].filter((query) => query.includes(' like '))).toEqual([]);
  expect(await register.list({ text: 'cust_', finding: 'mx_missing' }, { limit: 10 })).toHaveLength(10);
  const [first] = await register.list({ finding: 'mx_missing' }, { limit: 1 });
  expect(await register.list({ finding: 'mx_missing', outcome: 'running' }, { limit: 10, after: first })).toHaveLength(
    10,
  );
  await expectIndexed();
});
