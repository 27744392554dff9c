// The bounces of servers that write no delivery status notification. Each gives the recipient in a line of its own, and the words of the
// refusal behind it.
import type { Email } from 'postal-mime';
import type { FailedDelivery } from './report.ts';

interface OldBounce {
  /** In the text. */
  readonly begins: RegExp;
  /** A line with the recipient. */
  readonly recipient: RegExp;
  /** A line behind the words of a refusal. */
  readonly ends?: RegExp;
}

const OLD_BOUNCES: readonly OldBounce[] = [
  // qmail and those like it: https://cr.yp.to/proto/qsbmf.txt
  {
    begins: /^Hi\. This is the /,
    recipient: /^<([^<>\s]{1,320})>:$/,
    ends: /^Giving up on /,
  },
  // Exim before 4.87, and with a text of the operator.
  {
    begins: /^This message was created automatically by mail delivery software/,
    recipient: /^ {2}([^<>\s]{1,320}@[^<>\s]{1,255})$/,
  },
];

/** The line before the returned message. */
const COPY = '---';
const LINES_MAX = 500;
const WORDS_LENGTH_MAX = 2_000;

/** Exim's word in front of the reply; a line of qmail's says it without one. */
const REPLY = /(?:^|[:,] ?|\bsaid: ?|\bresponse: ?)([45]\d\d[ -](?:#?[45]\.\d{1,3}\.\d{1,3})?.*)$/i;

export function reportInOldText({ text = '' }: Email): readonly FailedDelivery[] {
  const lines = text.split(/\r?\n/).slice(0, LINES_MAX);
  const known = OLD_BOUNCES.find(({ begins }) => lines.slice(0, 3).some((line) => begins.test(line)));
  if (known === undefined) return [];
  const found: { readonly recipient: string; readonly words: string[] }[] = [];
  let areWords = true;
  for (const line of lines) {
    if (line.startsWith(COPY)) break;
    if (known.ends?.test(line) === true) areWords = false;
    const recipient = known.recipient.exec(line)?.[1];
    if (recipient !== undefined) found.push({ recipient, words: [] });
    else if (areWords) found.at(-1)?.words.push(line.trim());
    areWords ||= recipient !== undefined;
  }
  return found.map(({ recipient, words }) => ({
    kind: 'failed',
    recipients: [recipient],
    status: undefined,
    diagnostic: replyIn(words.join(' ').trim().slice(0, WORDS_LENGTH_MAX)),
  }));
}

const replyIn = (words: string): string => REPLY.exec(words)?.[1] ?? words;
