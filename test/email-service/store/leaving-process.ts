// Begins the first attempt of each email that its parent names, after the email's time if it waits for one, in a process of its own.
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { startDueEmails } from '../../../src/email-service/store/scheduled-emails.ts';
import { UNLIMITED } from '../support/unlimited.ts';

export interface Leaving {
  readonly emailId: string;
  readonly result: Awaited<ReturnType<typeof beginAttempt>>;
}

const store = await openStore(process.argv[2] ?? '');
process.on('message', (emailId: string) => {
  const now = new Date();
  void store
    .selectFrom('emails')
    .select('account_id')
    .where('id', '=', emailId)
    .executeTakeFirstOrThrow()
    .then(({ account_id: accountId }) =>
      startDueEmails(store, { accountId, now, sendingLimits: UNLIMITED, claimed: false }),
    )
    .then(() => beginAttempt(store, { emailId, holder: 'leaving', now }))
    .then((result) => process.send?.({ emailId, result } satisfies Leaving));
});
process.on('disconnect', () => void store.destroy());
process.send?.('ready');
