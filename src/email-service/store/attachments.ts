// The contents of attachments, in chunks of lines as the message has them: however many emails leave at once, each holds one chunk in memory.
import { sql } from 'kysely';
import {
  type AttachedContents,
  BASE64_LINE_LENGTH,
  base64Length,
  linedBase64Bytes,
} from '../delivery/attached-contents.ts';
import type { EmailAttachment } from '../resources/email.ts';
import type { Store, StoreTransaction } from './open-store.ts';

const CHUNK_LINES = 512;
const CHUNK_CHARACTERS = CHUNK_LINES * BASE64_LINE_LENGTH;
/** In statements of bounded size. */
const CHUNKS_AT_ONCE = 16;

/** The base64 of each attachment of an email, in its order. */
export interface AttachmentsToStore {
  readonly contentId: string;
  readonly contents: readonly Buffer[];
}

/** Each statement is awaited: sent ahead, all contents would be in memory once more. */
export async function insertAttachments(
  transaction: StoreTransaction,
  { contentId, contents }: AttachmentsToStore,
): Promise<void> {
  let page: { content_id: string; number: number; lines: string }[] = [];
  const insert = async (): Promise<void> => {
    if (page.length > 0) await transaction.insertInto('attachment_chunks').values(page).execute();
    page = [];
  };
  let number = 0;
  for (const content of contents)
    for (let at = 0; at < content.length; at += CHUNK_CHARACTERS) {
      page.push({ content_id: contentId, number, lines: linesOf(content, at) });
      number += 1;
      if (page.length === CHUNKS_AT_ONCE) await insert();
    }
  await insert();
}

const LINES = new RegExp(`.{${String(BASE64_LINE_LENGTH)}}(?!$)`, 'g');

function linesOf(content: Buffer, at: number): string {
  const lines = content.toString('latin1', at, at + CHUNK_CHARACTERS).replace(LINES, '$&\r\n');
  return at + CHUNK_CHARACTERS < content.length ? `${lines}\r\n` : lines;
}

interface EmailWithAttachments {
  readonly id: string;
  readonly content_id: string | null;
  readonly attachments: string | null;
}

const contentIdOf = ({ id, content_id: contentId }: Pick<EmailWithAttachments, 'id' | 'content_id'>): string =>
  contentId ?? id;

/** Undefined if the email has no attachments. */
export function attachedContents(store: Store, email: EmailWithAttachments): AttachedContents | undefined {
  if (email.attachments === null) return undefined;
  const sizes = (JSON.parse(email.attachments) as readonly EmailAttachment[]).map(({ size }) => size);
  const counts = sizes.map((size) => Math.ceil(base64Length(size) / CHUNK_CHARACTERS));
  return {
    bytes: sizes.reduce((sum, size) => sum + linedBase64Bytes(size), 0),
    async *read(index) {
      const first = counts.slice(0, index).reduce((sum, count) => sum + count, 0);
      for (let number = first; number < first + (counts[index] ?? 0); number += 1) {
        const { lines } = await store
          .selectFrom('attachment_chunks')
          .select('lines')
          .where('content_id', '=', contentIdOf(email))
          .where('number', '=', number)
          .executeTakeFirstOrThrow();
        yield lines;
      }
    },
  };
}

/** Forgets the attachments of these emails, with the contents that no other email names. */
export async function eraseAttachments(transaction: StoreTransaction, emailIds: readonly string[]): Promise<void> {
  const emails = await transaction
    .updateTable('emails')
    .set({ attachments: null })
    .where('id', 'in', emailIds)
    .returning(['id', 'content_id'])
    .execute();
  await deleteUnusedAttachments(transaction, emails);
}

/** Deletes the contents of attachments of which no email is left that names them. */
export async function deleteUnusedAttachments(
  transaction: StoreTransaction,
  emails: readonly Pick<EmailWithAttachments, 'id' | 'content_id'>[],
): Promise<void> {
  const contentIds = [...new Set(emails.map(contentIdOf))];
  const named = (column: 'id' | 'content_id') =>
    sql<boolean>`exists (
      select 1 from emails where emails.${sql.ref(column)} = attachment_chunks.content_id and emails.attachments is not null)`;
  await transaction
    .deleteFrom('attachment_chunks')
    .where('content_id', 'in', contentIds)
    .where(sql<boolean>`not ${named('id')} and not ${named('content_id')}`)
    .execute();
}
