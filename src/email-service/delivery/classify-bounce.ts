import type { Bounce } from '../resources/email.ts';
import type { SmtpReply } from './smtp-reply.ts';

export type BounceCategory = Bounce['category'];

/**
 * What was refused: a 550 to RCPT TO is about the address, one to the message is about the message. `CONNECT` stands for
 * the connection itself, which the greeting answers.
 */
export type SmtpCommand = 'CONNECT' | 'EHLO' | 'MAIL FROM' | 'RCPT TO' | 'DATA';

/**
 * RFC 3463 subject and detail, with the additions of its IANA registry (RFC 5248, 6710, 7372, 7505). A subject alone
 * holds for its details that are not listed. `null`: servers use it for so much that the text must decide.
 */
const CATEGORY_BY_CODE: Readonly<Record<string, BounceCategory | null>> = {
  '0': null,
  '1': 'recipient',
  '1.7': 'policy', // the sender's mailbox address
  '1.8': 'policy', // the sender's system address
  '2': 'recipient',
  '2.2': 'mailbox_full',
  '2.3': 'content', // longer than this mailbox takes
  '2.4': 'infrastructure', // a mailing list could not be expanded
  '3': 'infrastructure',
  '3.4': 'content', // larger than this system takes
  '4': 'infrastructure',
  '4.1': null, // Exchange Online refuses unknown recipients with it
  '5': 'infrastructure',
  '5.0': null,
  '6': 'content',
  '7': 'policy',
  '7.0': null,
  '7.1': null, // "not authorized": spam, blocked senders and closed mailboxes alike
  '7.13': 'recipient', // the account is disabled
  '7.17': 'recipient', // the mailbox has another owner now
};

/** Read in this order, because "mailbox full" also says "mailbox", and "blocked as spam" also says "blocked". */
const CATEGORY_BY_TEXT: readonly (readonly [RegExp, BounceCategory])[] = [
  [
    /mailbox (?:is )?full|over\s?-?quota|quota (?:exceeded|full)|exceeded .{0,30}quota|insufficient (?:system )?storage/i,
    'mailbox_full',
  ],
  [/(?:message|mail|size) .{0,30}(?:too (?:large|big)|exceeds)/i, 'content'],
  [
    /no such (?:user|recipient|mailbox|address|person)|(?:user|recipient|mailbox|address|account)\S* .{0,40}(?:unknown|not found|does ?n.t exist|does not exist|not exist|no longer|disabled|invalid|unavailable|inactive)|(?:unknown|invalid|bad|non-?existent) (?:user|recipient|mailbox|address)|recipient address rejected/i,
    'recipient',
  ],
  [/spam|junk|virus|malware|phish|content (?:rejected|denied)/i, 'content'],
  [
    /black ?list|block ?list|dnsbl|\brbl\b|blocked|reputation|policy|prohibited|banned|denied|not (?:authorized|permitted|allowed)|\bspf\b|\bdkim\b|\bdmarc\b|relay/i,
    'policy',
  ],
];

/** Whether another email to the same address would meet the same fate. */
const IS_PERMANENT: Readonly<Record<BounceCategory, boolean>> = {
  recipient: true,
  policy: true,
  suppressed: true,
  content: false,
  mailbox_full: false,
  infrastructure: false,
  expired: false,
};

const REASON: Readonly<Record<BounceCategory, string>> = {
  recipient: 'The receiving server says that this address takes no mail. Correct it, or stop sending to it.',
  mailbox_full: "The recipient's mailbox is full. It may take mail again later.",
  content: 'The receiving server refused this message for its content or size. Change the message.',
  policy: 'The receiving server refuses mail from this sender. Its own words say which rule it applied.',
  infrastructure:
    "The receiving server has a problem of its own and refused the message for good. Ask the recipient's postmaster.",
  expired: 'The email could not be handed over before it expired.',
  suppressed: 'The address is on the suppression list, because mail to it bounced before.',
};

/** A server's refusal for good as the API tells it. Pure. */
export function bounceOfReply(refusal: {
  readonly reply: SmtpReply;
  readonly command: SmtpCommand;
  readonly remoteMta: string;
  readonly attempt: number;
}): Bounce {
  const { reply, command, remoteMta, attempt } = refusal;
  const category = classifyReply(reply, command);
  return {
    category,
    permanent: IS_PERMANENT[category],
    reason: `${REASON[category]} ${quoted(reply)}`,
    smtp_code: reply.replyCode,
    enhanced_code: reply.enhancedCode ?? null,
    diagnostic: reply.text === '' ? null : reply.text,
    remote_mta: remoteMta,
    attempt,
  };
}

/** The server's own words, which tell more than any category. */
const quoted = ({ replyCode, enhancedCode, text }: SmtpReply): string =>
  `It said: ${[replyCode, enhancedCode, text].filter((part) => part !== undefined && part !== '').join(' ')}`;

/** A bounce that no server's refusal stands behind: no route, or out of time. */
export function bounceWithoutRefusal(
  category: BounceCategory,
  told: Partial<Pick<Bounce, 'reason' | 'smtp_code' | 'enhanced_code' | 'diagnostic' | 'remote_mta' | 'attempt'>>,
): Bounce {
  return {
    category,
    permanent: IS_PERMANENT[category],
    reason: REASON[category],
    smtp_code: null,
    enhanced_code: null,
    diagnostic: null,
    remote_mta: null,
    attempt: null,
    ...told,
  };
}

/** The enhanced code first, then the text, then what the reply code alone says. */
export function classifyReply(reply: SmtpReply, command: SmtpCommand): BounceCategory {
  const [, subject = '', detail = ''] = reply.enhancedCode?.split('.') ?? [];
  const byCode = CATEGORY_BY_CODE[`${subject}.${detail}`] ?? lessSpecific(subject, detail);
  if (byCode !== undefined && byCode !== null) return byCode;
  for (const [expression, category] of CATEGORY_BY_TEXT) if (expression.test(reply.text)) return category;
  return classifyReplyCode(reply.replyCode, command);
}

function lessSpecific(subject: string, detail: string): BounceCategory | null | undefined {
  // A detail that is listed as undecided must not be decided by its subject.
  return CATEGORY_BY_CODE[`${subject}.${detail}`] === null ? null : CATEGORY_BY_CODE[subject];
}

/** RFC 5321 section 4.2.3. */
function classifyReplyCode(replyCode: number, command: SmtpCommand): BounceCategory {
  if (replyCode === 552) return 'mailbox_full';
  if (command === 'RCPT TO' && [550, 551, 553].includes(replyCode)) return 'recipient';
  if (replyCode === 550 || replyCode === 553 || replyCode === 554) return 'policy';
  return 'infrastructure';
}
