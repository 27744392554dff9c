// Received messages, one file each, so that acknowledged messages survive a crash.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ReceivedMessage {
  /** The Message-ID header with its angle brackets; empty without one. */
  readonly messageId: string;
  /** The address in the From header. */
  readonly from: string;
  /** The recipients of the envelope. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly envelopeFrom: string;
  readonly dkim: string;
  readonly spf: string;
  readonly dmarc: string;
  /** The whole message as received. */
  readonly raw: string;
  /** RFC 3339, UTC. */
  readonly receivedAt: string;
}

export interface MessageLedger {
  all(): readonly ReceivedMessage[];
  /** With a folder, the message is on disk when the promise resolves. */
  add(message: ReceivedMessage): Promise<void>;
}

export async function openMessageLedger(folder?: string): Promise<MessageLedger> {
  const stored = folder === undefined ? [] : await readFolder(folder);
  const messages = stored.map(({ message }) => message);
  // The highest number, not the count: after a file was removed, a new one must not overwrite another.
  let number = stored.at(-1)?.number ?? 0;
  return {
    all: () => messages,
    async add(message) {
      number += 1;
      if (folder !== undefined) {
        await writeWhole(folder, `${String(number).padStart(8, '0')}.json`, JSON.stringify(message));
      }
      messages.push(message);
    },
  };
}

async function readFolder(folder: string): Promise<{ number: number; message: ReceivedMessage }[]> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).sort();
  // An unfinished file holds a message that was never acknowledged.
  await Promise.all(names.filter((name) => name.endsWith('.new')).map((name) => rm(join(folder, name))));
  const files = names.filter((name) => /^\d{8}\.json$/.test(name));
  return Promise.all(
    files.map(async (name) => ({
      number: Number.parseInt(name, 10),
      message: JSON.parse(await readFile(join(folder, name), 'utf8')) as ReceivedMessage,
    })),
  );
}

async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const fresh = join(folder, `${name}.new`);
  await writeFile(fresh, text, { flush: true });
  await rename(fresh, join(folder, name));
}
