import { escapeMarkdown } from '../../lib/escape-markdown.ts';
import type { Store } from './open-store.ts';
import type { OutboxTable } from './schema.ts';

/** Temporal keeps 400 bytes of a summary: with these limits, no text in any script is longer. */
const ACCOUNT_LENGTH_MAX = 40;
const OTHER_LENGTH_MAX = 60;

/**
 * The summary of a Workflow in the Temporal UI: `acme: mail.acme.com to example.net`. Of a recipient only the domain, of a URL only the
 * host. Undefined if the database does not have what the Workflow is about.
 */
export function workflowSummary(
  store: Store,
  { workflow_type: type, input }: Pick<OutboxTable, 'workflow_type' | 'input'>,
): Promise<string | undefined> {
  const { domainId = '', emailId = '', eventId = '', webhookId = '' } = JSON.parse(input) as Record<string, string>;
  switch (type) {
    case 'verifyDomain':
      return ofVerification(store, domainId);
    case 'deliverEmail':
      return ofDelivery(store, emailId);
    case 'deliverWebhook':
      return ofWebhook(store, eventId, webhookId);
    default:
      return Promise.resolve(undefined);
  }
}

async function ofVerification(store: Store, domainId: string): Promise<string | undefined> {
  const found = await store
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .select(['accounts.name as account', 'domains.name as domain'])
    .where('domains.id', '=', domainId)
    .executeTakeFirst();
  return found && `${account(found.account)}: ${other(found.domain)}`;
}

async function ofDelivery(store: Store, emailId: string): Promise<string | undefined> {
  const found = await store
    .selectFrom('emails')
    .innerJoin('accounts', 'accounts.id', 'emails.account_id')
    .innerJoin('senders', 'senders.id', 'emails.sender_id')
    .innerJoin('domains', 'domains.id', 'senders.domain_id')
    .select(['accounts.name as account', 'domains.name as domain', 'emails.recipient'])
    .where('emails.id', '=', emailId)
    .executeTakeFirst();
  return found && `${account(found.account)}: ${other(found.domain)} to ${other(domainOf(found.recipient))}`;
}

async function ofWebhook(store: Store, eventId: string, webhookId: string): Promise<string | undefined> {
  const found = await store
    .selectFrom('events')
    .innerJoin('accounts', 'accounts.id', 'events.account_id')
    .innerJoin('webhooks', 'webhooks.account_id', 'accounts.id')
    .select(['accounts.name as account', 'events.type', 'events.data', 'webhooks.url'])
    .where('events.id', '=', eventId)
    .where('webhooks.id', '=', webhookId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  // The event's resource is a domain, an account or an email.
  const { name, recipient = '' } = JSON.parse(found.data) as { name?: string; recipient?: string };
  const subject = name ?? domainOf(recipient);
  return `${account(found.account)}: ${found.type} (${other(subject)}) to ${other(new URL(found.url).host)}`;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const account = (name: string): string => shown(name, ACCOUNT_LENGTH_MAX);
const other = (name: string): string => shown(name, OTHER_LENGTH_MAX);

function shown(text: string, lengthMax: number): string {
  const characters = Array.from(text);
  return escapeMarkdown(characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join('')}…`);
}
