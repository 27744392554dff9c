import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHash } from 'node:crypto';
import { type AttachedContents, inPieces } from '../../../src/email-service/delivery/attached-contents.ts';
import { composeMessage } from '../../../src/email-service/delivery/compose-message.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { startPythonJudges } from '../python-judges.ts';
import type { Suite } from '../suite.ts';
import { type AttachedFile, messageCases } from './message-cases.ts';

const SELECTOR = 'so20260101-judge';
const DOMAIN = 'acme.test';
/** RFC 5322 section 2.1.1, without CRLF. */
const LINE_OCTETS_MAX = 998;

interface ParsedMessage {
  readonly subject: string;
  readonly from_name: string;
  readonly from_address: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;
  readonly defects: readonly string[];
}

export const messages: Suite = {
  name: 'messages',
  title: 'composed and signed messages, verified by OpenDKIM and dkimpy and read by Python',
  debian: { opendkim: ['opendkim'] },
  python: true,
  async *run({ tools, folder, wants }) {
    const { privateKey, publicKey } = await generateDkimKeyPair();
    const keyName = `${SELECTOR}._domainkey.${DOMAIN}`;
    const keyRecord = `v=DKIM1; k=rsa; p=${publicKey}`;
    const configuration = join(folder, 'opendkim.conf');
    await writeFile(join(folder, 'keys'), `${keyName} ${keyRecord}\n`);
    await writeFile(configuration, `Mode v\nSyslog no\nTestDNSData file:${join(folder, 'keys')}\n`);
    const python = startPythonJudges(tools.python);
    try {
      for (const asked of messageCases.filter(({ name }) => wants(name))) {
        const sent = {
          subject: asked.subject ?? 'Welcome',
          name: asked.fromName,
          text: asked.body ?? 'It works.\n',
          html: asked.html,
          headers: asked.headers ?? {},
        };
        const attachments = asked.attachments ?? [];
        const contents = contentsOf(attachments);
        const marked = await composeMessage(
          {
            ...sent,
            from: { address: `hello@${DOMAIN}`, name: sent.name },
            to: ['ada@inbox.test'],
            cc: [],
            ...(attachments.length === 0
              ? {}
              : {
                  attached: {
                    files: attachments.map(({ bytes, ...about }) => ({ ...about, size: bytes.length })),
                    contents,
                  },
                }),
            messageId: `<judge@${DOMAIN}>`,
            date: new Date(),
          },
          { domain: DOMAIN, selector: SELECTOR, privateKey },
        );
        let message = '';
        for await (const piece of inPieces(marked, contents, (text) => text)) message += piece;
        const file = join(folder, 'message.eml');
        await writeFile(file, message, 'latin1');
        const encoded = Buffer.from(message, 'latin1').toString('base64');
        const about = { case: asked.name, detail: message.slice(0, 3_000) };

        const { stdout } = await promisify(execFile)(tools.command('opendkim'), ['-x', configuration, '-t', file], {
          env: tools.environment,
        });
        const theirs = /verification .*succeeded/.test(stdout) ? 'pass' : stdout.trim().split('\n').at(-1)!;
        yield { ...about, judge: 'OpenDKIM', theirs, ours: 'pass' };
        const verified = await python.ask<string>('dkim_verify', {
          message: encoded,
          keys: { [keyName]: [keyRecord] },
        });
        yield { ...about, judge: 'dkimpy', theirs: verified, ours: 'pass' };

        const read = await python.ask<ParsedMessage>('parse_message', { message: encoded });
        const lineOctets = Math.max(...message.split('\r\n').map((line) => line.length));
        yield {
          ...about,
          judge: 'Python email',
          theirs: JSON.stringify({
            subject: read.subject,
            name: read.from_name,
            from: read.from_address,
            to: read.to,
            text: read.text,
            html: read.html,
            attachments: read.attachments,
            headers: Object.fromEntries(Object.keys(sent.headers).map((name) => [name, read.headers[name]])),
            defects: read.defects,
            lines: lineOctets <= LINE_OCTETS_MAX,
          }),
          ours: JSON.stringify({
            subject: sent.subject,
            name: sent.name ?? '',
            from: `hello@${DOMAIN}`,
            to: ['ada@inbox.test'],
            text: withLineFeeds(sent.text),
            html: sent.html ?? null,
            attachments: readAs(attachments),
            headers: sent.headers,
            defects: [],
            lines: true,
          }),
        };
      }
    } finally {
      await python.close();
    }
  },
};

/** A message's text always ends with a line end. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\n?$/, '\n');

function contentsOf(files: readonly AttachedFile[]): AttachedContents {
  const lines = files.map(({ bytes }) => bytes.toString('base64').replace(/.{76}(?!$)/g, '$&\r\n'));
  return {
    bytes: lines.join('').length,
    async *read(index) {
      yield lines[index] ?? '';
    },
  };
}

const readAs = (files: readonly AttachedFile[]) =>
  files
    .map(({ filename, content_type: type, content_id: id, bytes }) => [
      ...[filename, type.split(';')[0], id === undefined ? null : `<${id}>`],
      createHash('sha256').update(bytes).digest('hex'),
    ])
    .sort(([one = ''], [other = '']) => ((one ?? '') < (other ?? '') ? -1 : 1));
