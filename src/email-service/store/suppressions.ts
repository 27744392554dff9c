// The addresses that an account no longer sends to. An address is kept in lower case: hardly any mailbox tells case apart, and one
// that refused mail must not get more under another spelling.
import { withNormalDomain } from '../../lib/mail-rules/mail-address-fault.ts';
import type { Bounce } from '../resources/email.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { readAccount } from './api-keys.ts';
import { type ErasureMarks, erasureMarks } from './erasure-marks.ts';
import { newId } from '../resources/resource-ids.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { EmailTable, SuppressionTable } from './schema.ts';

export interface AccountAddress {
  readonly accountId: string;
  readonly address: string;
  /** The marks of the account. */
  readonly marks: ErasureMarks;
}

export const suppressedForm = (address: string): string => withNormalDomain(address).toLowerCase();

/** How the list may have the address: as text, or as what an erasure has left of it. */
export function listedForms(address: string, marks: ErasureMarks): readonly string[] {
  const form = suppressedForm(address);
  return [form, marks.mark('address', form)];
}

export const suppressionColumns = [
  'suppressions.reason as suppression_reason',
  'suppressions.created_at as suppressed_at',
] as const;

/** Of an email's recipient; null if it is not suppressed. */
export interface SuppressionColumns {
  readonly suppressed_at: string | null;
  readonly suppression_reason: string | null;
}

export interface Suppressed {
  readonly at: string;
  readonly reason: string;
}

/** Those of the addresses that are suppressed, by `suppressedForm`. */
export async function findSuppressed(
  transaction: Store | StoreTransaction,
  accountId: string,
  addresses: readonly string[],
  marks: ErasureMarks,
): Promise<ReadonlyMap<string, Suppressed>> {
  if (addresses.length === 0) return new Map();
  const formOf = new Map(
    addresses.flatMap((address) => listedForms(address, marks).map((listed) => [listed, suppressedForm(address)])),
  );
  const listed = await transaction
    .selectFrom('suppressions')
    .select(['address', 'reason', 'created_at'])
    .where('account_id', '=', accountId)
    .where('address', 'in', [...formOf.keys()])
    .execute();
  return new Map(listed.map(({ address, reason, created_at: at }) => [formOf.get(address) ?? address, { at, reason }]));
}

/** What keeps an email from being sent; undefined if its recipient is not suppressed, or the caller overrode that. */
export const suppressionOf = (
  { suppressed_at: at, suppression_reason: reason }: SuppressionColumns,
  override: string | null,
): Suppressed | undefined => (at === null || reason === null || override !== null ? undefined : { at, reason });

/** An address that is suppressed already keeps its first reason. @returns the ids of the new rows */
export async function addSuppressions(
  transaction: Store | StoreTransaction,
  accountId: string,
  addresses: readonly string[],
  why: Pick<SuppressionTable, 'cause' | 'reason' | 'email_id'> & { readonly now: Date },
  marks: ErasureMarks,
): Promise<readonly string[]> {
  const { now, ...columns } = why;
  const listed = await findSuppressed(transaction, accountId, addresses, marks);
  const forms = [...new Set(addresses.map(suppressedForm))].filter((form) => !listed.has(form));
  if (forms.length === 0) return [];
  const added = await transaction
    .insertInto('suppressions')
    .values(
      // In one order, so that two imports never wait for each other.
      forms.sort().map((address) => ({
        id: newId('sup'),
        account_id: accountId,
        address,
        ...columns,
        created_at: now.toISOString(),
      })),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'address']).doNothing())
    .returning('id')
    .execute();
  return added.map(({ id }) => id);
}

/** Whether the address is refused for good, and not the message. */
export const refusesAddress = ({ category, permanent }: Pick<Bounce, 'category' | 'permanent'>): boolean =>
  category === 'recipient' && permanent;

/** Call it in the transaction that records why. An email that overrides the suppression of an erased address leaves its mark alone. */
export async function suppressRecipient(
  transaction: StoreTransaction,
  sealer: Sealer,
  { id, account_id: accountId, recipient }: Pick<EmailTable, 'id' | 'account_id' | 'recipient'>,
  why: Pick<SuppressionTable, 'cause' | 'reason'> & { readonly now: Date },
): Promise<void> {
  const marks = erasureMarks(sealer, await readAccount(transaction, accountId));
  await addSuppressions(transaction, accountId, [recipient], { ...why, email_id: id }, marks);
}

/** Call it in the transaction that records the bounce. */
export async function suppressAfterBounce(
  transaction: StoreTransaction,
  sealer: Sealer,
  email: Pick<EmailTable, 'id' | 'account_id' | 'recipient'>,
  bounce: Pick<Bounce, 'category' | 'permanent' | 'reason'>,
  now: Date,
): Promise<void> {
  if (refusesAddress(bounce))
    await suppressRecipient(transaction, sealer, email, { cause: 'bounce', reason: bounce.reason, now });
}

export const findSuppression = (
  store: Store | StoreTransaction,
  asked: AccountAddress,
): Promise<SuppressionTable | undefined> =>
  store
    .selectFrom('suppressions')
    .selectAll()
    .where('account_id', '=', asked.accountId)
    .where('address', 'in', listedForms(asked.address, asked.marks))
    .executeTakeFirst();

/** @returns whether the address was suppressed */
export async function removeSuppression(store: Store, asked: AccountAddress): Promise<boolean> {
  const { numDeletedRows } = await store
    .deleteFrom('suppressions')
    .where('account_id', '=', asked.accountId)
    .where('address', 'in', listedForms(asked.address, asked.marks))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
