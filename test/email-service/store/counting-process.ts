// Counts emails of an account as POST /emails does until the limit, in a process that a test can kill.
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { countEmails, exceedsLimit } from '../../../src/email-service/store/sending-limits.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';

const [databaseUrl = '', accountId = ''] = process.argv.slice(2);
const store = await openStore(databaseUrl);
const limits = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 };

async function countUntilRefused(): Promise<void> {
  for (;;) {
    await inTransaction(store, async (transaction) => {
      const id = newId('sup');
      const email = { id, account_id: accountId, address: id, cause: 'manual', reason: '', created_at: '' } as const;
      await transaction.insertInto('suppressions').values(email).execute();
      await countEmails(transaction, accountId, limits, 1);
    });
    process.stdout.write('.');
  }
}

await Promise.all(
  [1, 2, 3, 4].map(() =>
    countUntilRefused().catch((error: unknown) => {
      if (!exceedsLimit(error)) throw error;
    }),
  ),
);
await store.destroy();
