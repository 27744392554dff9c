import { composeMessage } from '../delivery/compose-message.ts';
import type { OpenDkimKey } from '../delivery/dkim-keys.ts';
import { emailContent, keptSignedMessage, type EmailContent, type EmailToDeliver } from '../store/emails.ts';
import type { Store } from '../store/open-store.ts';
import { sealingContext } from '../store/sealed-secrets.ts';

/** The bytes that the first attempt sent, or, before it, a new message. */
export async function messageToSend(store: Store, email: EmailToDeliver, openDkimKey: OpenDkimKey): Promise<string> {
  const kept = email.is_signed ? await keptSignedMessage(store, email.id) : undefined;
  return kept ?? (await compose(await emailContent(store, email.id), openDkimKey));
}

function compose(email: EmailContent, openDkimKey: OpenDkimKey): Promise<string> {
  return composeMessage(
    {
      from: { address: email.from_address, name: email.sender_name ?? undefined },
      recipient: email.recipient,
      subject: email.subject,
      text: email.body,
      html: email.html ?? undefined,
      headers: JSON.parse(email.headers) as Record<string, string>,
      messageId: email.message_id,
      date: new Date(email.created_at),
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
