// Counts emails of an account until the limit, in a process that a test can kill: as POST /emails does, or scheduled ones that are due.
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { startDueEmails } from '../../../src/email-service/store/scheduled-emails.ts';
import { countEmails, exceedsLimit, inEachWindow } from '../../../src/email-service/store/sending-limits.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
import { UNLIMITED } from '../support/unlimited.ts';

const [databaseUrl = '', accountId = '', kind = ''] = process.argv.slice(2);
const store = await openStore(databaseUrl);

async function countUntilRefused(): Promise<void> {
  for (;;) {
    await inTransaction(store, async (transaction) => {
      const id = newId('sup');
      const email = { id, account_id: accountId, address: id, cause: 'manual', reason: '', created_at: '' } as const;
      await transaction.insertInto('suppressions').values(email).execute();
      await countEmails(transaction, accountId, UNLIMITED, inEachWindow(1));
    });
    process.stdout.write('.');
  }
}

async function startUntilNoneMayLeave(): Promise<void> {
  const due = { accountId, now: new Date(), sendingLimits: UNLIMITED, claimed: false };
  while ((await startDueEmails(store, due)).length > 0) process.stdout.write('.');
}

await Promise.all(
  [1, 2, 3, 4].map(() =>
    (kind === 'due' ? startUntilNoneMayLeave() : countUntilRefused()).catch((error: unknown) => {
      if (!exceedsLimit(error)) throw error;
    }),
  ),
);
await store.destroy();
