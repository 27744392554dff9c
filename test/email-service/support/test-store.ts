import { randomBytes } from 'node:crypto';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { newDomain } from '../../../src/email-service/domains/new-domain.ts';
import { newEmails } from '../../../src/email-service/http/schemas/email-request.ts';
import {
  type ErasureMarks,
  erasureMarks,
  newSealedErasureKey,
} from '../../../src/email-service/store/erasure-marks.ts';
import { openStore, type Store } from '../../../src/email-service/store/open-store.ts';
import { addToOutbox, type WorkflowToStart } from '../../../src/email-service/store/outbox.ts';
import type { EmailTable, WebhookTable } from '../../../src/email-service/store/schema.ts';
import { createSealer, type Sealer } from '../../../src/lib/sealing.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
import { recordQueries } from '../../support/record-queries.ts';
import { testDatabase } from '../../support/test-database.ts';

/** One RSA key for all tests of a file: generating one takes longer than everything else here. */
const dkimKey = generateDkimKeyPair();

/** Of every domain of a test; the product draws one. */
const SELECTOR = 'k1';

/** An account with a verified domain and a sender, in a real database. */
export interface TestStore {
  readonly store: Store;
  /** For another process on the same database. */
  readonly databaseUrl: string;
  readonly sealingKey: Buffer;
  readonly sealer: Sealer;
  readonly accountId: string;
  readonly marks: ErasureMarks;
  readonly domainId: string;
  readonly dkimPublicKey: string;
  /** The id of a new queued email that expires in a day, with the test's changes. */
  email(more?: Partial<EmailTable>): Promise<string>;
  /** The id and secret of a new webhook for these events. */
  webhook(events: readonly string[], more?: Partial<WebhookTable>): Promise<{ id: string; secret: string }>;
  /** All events of the account, in order. */
  events(): Promise<{ id: string; number: number; type: string; data: Record<string, unknown> }[]>;
  eventTypes(): Promise<string[]>;
  /** Adds the outbox row of a Workflow, as the transaction that makes it necessary does. */
  owe(start: WorkflowToStart, by?: { readonly claimed: boolean }): Promise<void>;
  end(): Promise<void>;
}

export async function openTestStore(): Promise<TestStore> {
  const { url: databaseUrl, end } = await testDatabase('email-service');
  const { database: store, expectIndexed } = recordQueries(await openStore(databaseUrl));
  const sealingKey = randomBytes(32);
  const sealer = createSealer([sealingKey]);
  const { publicKey } = await dkimKey;
  const accountId = newId('acc');
  const senderId = newId('snd');
  const createdAt = new Date().toISOString();
  const account = { id: accountId, sealed_erasure_key: newSealedErasureKey(sealer, accountId) };
  await store
    .insertInto('accounts')
    .values({ ...account, name: 'acme', created_at: createdAt })
    .execute();
  const made = await newDomain(
    {
      sealer,
      settings: { hostname: 'mail.sendoff.test', spfMechanism: 'ip4:127.0.0.1', returnPathLabel: 'bounce' },
      generateDkimKey: () => dkimKey,
      findZones: async () => new Map(),
      now: () => new Date(createdAt),
    },
    accountId,
    'acme.test',
  );
  const domainId = made.id;
  await store
    .insertInto('domains')
    .values({ ...made, dkim_selector: SELECTOR, records: made.records.replaceAll(made.dkim_selector, SELECTOR) })
    .execute();
  await store
    .insertInto('senders')
    .values({
      id: senderId,
      account_id: accountId,
      domain_id: domainId,
      from_address: 'orders@acme.test',
      name: 'Acme',
      created_at: createdAt,
      deleted_at: null,
    })
    .execute();

  return {
    store,
    databaseUrl,
    sealingKey,
    sealer,
    accountId,
    marks: erasureMarks(sealer, account),
    domainId,
    dkimPublicKey: publicKey,
    async email(more = {}) {
      const request = { sender_id: senderId, recipient: 'person@inbox.test', subject: 'Welcome', body: 'Hello\n' };
      const sender = { id: senderId, domain_name: 'acme.test' };
      const accepted = { request: { ...request, metadata: { order: '7' } }, contents: [] };
      const { rows } = newEmails(accountId, sender, accepted, { suppressed: new Map(), now: new Date(createdAt) });
      const [row] = rows.map((each) => ({ ...each, ...more }));
      if (row === undefined) throw new Error('no email');
      await store.insertInto('emails').values(row).execute();
      return row.id;
    },
    async webhook(events, more = {}) {
      const id = newId('whk');
      const secret = `whsec_${randomBytes(24).toString('base64')}`;
      const webhook: WebhookTable = {
        id,
        account_id: accountId,
        url: 'https://hooks.acme.test/hook',
        events: JSON.stringify(events),
        sealed_signing_secret: sealer.seal(secret, `webhook/${id}/signing-secret`),
        created_at: createdAt,
        disabled_at: null,
        deleted_at: null,
        ...more,
      };
      await store.insertInto('webhooks').values(webhook).execute();
      return { id, secret };
    },
    async events() {
      const rows = await store.selectFrom('events').selectAll().orderBy('number').execute();
      return rows.map(({ id, number, type, data }) => ({
        id,
        number,
        type,
        data: JSON.parse(data) as Record<string, unknown>,
      }));
    },
    eventTypes: async () => {
      const rows = await store.selectFrom('events').select('type').orderBy('number').execute();
      return rows.map(({ type }) => type);
    },
    owe: (start, by) => inTransaction(store, (transaction) => addToOutbox(transaction, [start], new Date(), by)),
    async end() {
      await expectIndexed();
      await store.destroy();
      await end();
    },
  };
}
