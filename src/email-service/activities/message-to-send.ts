import { composeMessage } from '../delivery/compose-message.ts';
import type { AttachedContents } from '../delivery/attached-contents.ts';
import type { OpenDkimKey } from '../delivery/parsed-dkim-keys.ts';
import { selectorOf } from '../delivery/sign-message.ts';
import { dkimRecordName } from '../domains/sending-records.ts';
import type { EmailAttachment } from '../resources/email.ts';
import { attachedContents } from '../store/attachments.ts';
import {
  emailContent,
  keptSignedMessage,
  recordsOfSender,
  type EmailContent,
  type EmailToDeliver,
} from '../store/emails.ts';
import type { Store } from '../store/open-store.ts';
import { sealingContext } from '../store/sealed-secrets.ts';

export interface MessageToSend {
  /** With marks for the contents of its attachments. */
  readonly message: string;
  /** The kept one that it takes the place of. */
  readonly replaces?: string;
}

/**
 * The bytes that the first attempt sent, or, before it, a new message. Bytes that a replaced key signed are sent as long as its record is
 * published, as it must be for seven days; without it the message is signed again, with the same Message-ID.
 */
export async function messageToSend(
  store: Store,
  email: EmailToDeliver,
  openDkimKey: OpenDkimKey,
): Promise<MessageToSend> {
  const kept = email.is_signed ? await keptSignedMessage(store, email.id) : undefined;
  if (kept !== undefined && !(await isSignedInVain(store, email, kept))) return { message: kept };
  const message = await compose(await emailContent(store, email.id), openDkimKey, attachedContents(store, email));
  return kept === undefined ? { message } : { message, replaces: kept };
}

async function isSignedInVain(store: Store, email: EmailToDeliver, message: string): Promise<boolean> {
  const selector = selectorOf(message);
  if (selector === undefined || selector === email.dkim_selector) return false;
  const name = dkimRecordName(selector, email.domain_name);
  const record = (await recordsOfSender(store, email.id)).find((each) => each.name === name);
  return record?.status !== 'found' && record?.status !== 'inconclusive';
}

const listOf = (json: string | null): readonly string[] | undefined =>
  json === null ? undefined : (JSON.parse(json) as readonly string[]);

function compose(
  email: EmailContent,
  openDkimKey: OpenDkimKey,
  contents: AttachedContents | undefined,
): Promise<string> {
  return composeMessage(
    {
      from: { address: email.from_address, name: email.sender_name ?? undefined },
      to: listOf(email.to_recipients) ?? [email.recipient],
      cc: listOf(email.cc_recipients) ?? [],
      subject: email.subject,
      text: email.shared_body ?? email.body,
      html: email.shared_html ?? email.html ?? undefined,
      headers: JSON.parse(email.shared_headers ?? email.headers) as Record<string, string>,
      ...(contents === undefined
        ? {}
        : { attached: { files: JSON.parse(email.attachments ?? '[]') as readonly EmailAttachment[], contents } }),
      messageId: email.message_id,
      date: new Date(email.scheduled_at ?? email.created_at),
    },
    {
      domain: email.domain_name,
      selector: email.dkim_selector,
      privateKey: openDkimKey({
        sealed: email.sealed_dkim_private_key,
        context: sealingContext.dkimKey(email.domain_id),
      }),
    },
  );
}
