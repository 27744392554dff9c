import { randomBytes } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Schema } from '../../../src/store/database.ts';
import { setupLinkExpiry } from '../../../src/store/onboarding/setup-link-expiry.ts';
import { type SetupLinks, createSqlSetupLinks } from '../../../src/store/onboarding/setup-links.ts';
import { beginOnboarding, endOnboarding } from '../../support/begin-onboarding.ts';
import { recordQueries, type RecordedQueries } from '../../support/record-queries.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

const DAY_MS = 86_400_000;
const key = randomBytes(32);

let opened: TestRegister;
let queries: RecordedQueries<Schema>;
let links: SetupLinks;
let nowMs: number;
/** The queries since the test emptied it. */
let asked: string[];
const recordAsked: KyselyPlugin = {
  transformQuery({ node }) {
    asked.push(`${node.kind} ${JSON.stringify(node).includes('"setup_links"') ? 'from setup_links' : ''}`.trim());
    return node;
  },
  transformResult: async ({ result }) => result,
};
beforeEach(async () => {
  nowMs = Date.now();
  asked = [];
  opened = await openTestRegister();
  queries = recordQueries(opened.database);
  links = createSqlSetupLinks(queries.database.withPlugin(recordAsked), [key], () => nowMs);
  await beginOnboarding(opened.register, 'acme');
  await beginOnboarding(opened.register, 'beta');
});
afterEach(async () => {
  await queries.expectIndexed();
  await opened.end();
});

async function newToken(tenantId: string): Promise<string> {
  return (await links.create(tenantId))?.token ?? expect.fail(`${tenantId} has no onboarding`);
}

const tenantOf = async (token: string): Promise<string | undefined> => (await links.open(token))?.tenantId;

const end = (tenantId: string): Promise<void> =>
  endOnboarding(opened.register, tenantId, { at: new Date(nowMs).toISOString() });

test('a link opens the onboarding of its tenant and no other; a tenant may have several', async () => {
  const [first, second, beta] = [await newToken('acme'), await newToken('acme'), await newToken('beta')];
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(new Set([first, second, beta]).size).toBe(3);
  expect(await Promise.all([first, second, beta].map(tenantOf))).toEqual(['acme', 'acme', 'beta']);
});

test('a tenant without an onboarding gets no link', async () => {
  expect(await links.create('unknown')).toBeUndefined();
});

test('revoking ends every link of the tenant and no other one', async () => {
  const [first, second, beta] = [await newToken('acme'), await newToken('acme'), await newToken('beta')];
  expect(await links.revoke('acme')).toBe(2);
  expect(await links.revoke('acme')).toBe(0);
  expect(await Promise.all([first, second, beta].map(tenantOf))).toEqual([undefined, undefined, 'beta']);
  expect(await tenantOf(await newToken('acme'))).toBe('acme');
});

test('a link opens for seven days after the end of its onboarding', async () => {
  const token = await newToken('acme');
  await end('acme');
  nowMs += 7 * DAY_MS - 1;
  expect(await tenantOf(token)).toBe('acme');
  expect(setupLinkExpiry((await links.open(token)) ?? expect.fail())).toBe(new Date(nowMs + 1).toISOString());
  nowMs += 1;
  expect(await tenantOf(token)).toBeUndefined();
});

test('a link ends when another onboarding of its tenant begins', async () => {
  const token = await newToken('acme');
  await end('acme');
  await beginOnboarding(opened.register, 'acme', 'second');
  expect(await tenantOf(token)).toBeUndefined();
});

test('every other text opens nothing, with the same query', async () => {
  const token = await newToken('acme');
  const bytes = Buffer.from(token, 'base64url');
  const flipped = (at: number) => {
    const other = Buffer.from(bytes);
    other[at] = (other[at] ?? 0) ^ 1;
    return other.toString('base64url');
  };
  const forged = createSqlSetupLinks(opened.database, [randomBytes(32)]);
  const otherKey = (await forged.create('acme'))?.token ?? expect.fail();
  const sameBytes = `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(42) + 1)}`;
  const revoked = await newToken('beta');
  await links.revoke('beta');
  const refused = {
    'the id changed': flipped(0),
    'the signature changed': flipped(31),
    'signed with another key': otherKey,
    'the same bytes written differently': Buffer.from(sameBytes, 'base64url').equals(bytes) ? sameBytes : `${token}=`,
    guessed: randomBytes(32).toString('base64url'),
    'too short': token.slice(0, -4),
    'too long': `${token}AAAA`,
    empty: '',
    'of other characters': '../../../etc/passwd%00<script>',
    huge: 'A'.repeat(100_000),
    revoked: revoked,
  };
  for (const [name, text] of Object.entries(refused)) {
    asked = [];
    expect([name, await links.open(text)]).toEqual([name, undefined]);
    expect([name, asked]).toEqual([name, ['SelectQueryNode from setup_links']]);
  }
  expect(await tenantOf(token)).toBe('acme');
});

test('a link signed with an earlier key opens as long as that key is listed', async () => {
  const token = await newToken('acme');
  const next = randomBytes(32);
  const opens = async (...keys: Buffer[]) =>
    (await createSqlSetupLinks(opened.database, keys).open(token)) !== undefined;
  expect([await opens(next, key), await opens(next)]).toEqual([true, false]);
});

test('the database has no token', async () => {
  const token = await newToken('acme');
  const rows = await opened.database.selectFrom('setup_links').selectAll().execute();
  const id = Buffer.from(token, 'base64url').subarray(0, 16);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token.slice(0, 20));
  expect(JSON.stringify(rows)).not.toContain(id.toString('base64url'));
});
