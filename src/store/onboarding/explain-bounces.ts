// A poll may find that an email bounced before the webhook arrives that says why: the later of both writes finds the other.
import type { Kysely } from 'kysely';
import { explainedBy, unexplainedEmail } from '../../onboarding/explained-bounce.ts';
import type { Bounce } from '../../onboarding/provider-event.ts';
import type { RecordUndo } from '../../onboarding/record-change.ts';
import type { Schema } from '../database.ts';
import { createSqlProviderEvents } from './provider-events.ts';

/** What a webhook has said of the bounce that the failure does not explain. */
export async function explanation(
  transaction: Kysely<Schema>,
  { failure, onboarding: { provider } }: Pick<RecordUndo, 'failure' | 'onboarding'>,
): Promise<{ emailId: string; bounce: Bounce } | undefined> {
  const emailId = unexplainedEmail(failure);
  if (emailId === undefined || provider === undefined) return undefined;
  const { bounce = null } = (await createSqlProviderEvents(transaction).email(provider, emailId)) ?? {};
  return bounce === null ? undefined : { emailId, bounce };
}

export async function explained<End extends RecordUndo>(transaction: Kysely<Schema>, by: End): Promise<End> {
  const { failure } = by;
  const found = failure === null ? undefined : await explanation(transaction, by);
  return failure === null || found === undefined ? by : { ...by, failure: explainedBy(failure, found.bounce) };
}
