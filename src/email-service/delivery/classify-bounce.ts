import type { Bounce } from '../resources/email.ts';
import type { SmtpReply } from './smtp-reply.ts';

export type BounceCategory = Bounce['category'];

/**
 * The command that the server refused. A 550 after RCPT TO rejects the address; after DATA, the message. `CONNECT`: the
 * greeting itself was a refusal.
 */
export type SmtpCommand = 'CONNECT' | 'EHLO' | 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** A code whose meaning depends on the text of the reply. */
interface Undecided {
  /** The categories that the text may select. */
  readonly textMaySay: readonly BounceCategory[];
  /** The category for any other text. Undefined: the reply code decides. */
  readonly otherwise: BounceCategory | undefined;
}

const ANY: readonly BounceCategory[] = ['recipient', 'mailbox_full', 'content', 'policy', 'infrastructure'];

/**
 * RFC 3463 subject and detail, with the additions of its IANA registry (RFC 5248, 6710, 7372, 7505). A subject alone
 * applies to its unlisted details.
 */
const CATEGORY_BY_CODE: Readonly<Record<string, BounceCategory | Undecided>> = {
  '0': { textMaySay: ANY, otherwise: undefined },
  '1': 'recipient',
  '1.0': { textMaySay: ANY, otherwise: undefined },
  '1.7': 'policy', // the sender's mailbox address
  '1.8': 'policy', // the sender's system address
  '2': 'recipient',
  '2.0': { textMaySay: ANY, otherwise: 'infrastructure' },
  '2.1': { textMaySay: ['infrastructure', 'mailbox_full'], otherwise: 'recipient' }, // Gmail also uses it for too much mail at once
  '2.2': 'mailbox_full',
  '2.3': 'content', // longer than this mailbox accepts
  '2.4': 'infrastructure', // a mailing list could not be expanded
  '3': 'infrastructure',
  '3.4': 'content', // larger than this system accepts
  '4': 'infrastructure',
  '5': 'infrastructure',
  '5.0': { textMaySay: ANY, otherwise: undefined },
  '6': 'content',
  '7': 'policy',
  // "Not authorized": filters also use it for spam, and some servers for unknown users.
  '7.0': { textMaySay: ['content', 'recipient', 'mailbox_full'], otherwise: 'policy' },
  '7.1': { textMaySay: ['content', 'recipient', 'mailbox_full'], otherwise: 'policy' },
  '7.13': 'recipient', // the account is disabled
  '7.17': 'recipient', // the mailbox has a new owner
};

/** Exchange Online replies `5.4.1 Recipient address rejected: Access denied` if its directory lacks the recipient. */
const DIRECTORY_REFUSAL = /recipient address rejected/i;

/**
 * The first match decides: a text about the sender may also contain an address, "mailbox full" contains "mailbox", and
 * "blocked as spam" contains "blocked".
 */
const CATEGORY_BY_TEXT: readonly (readonly [RegExp, BounceCategory])[] = [
  [
    /sender (?:address )?(?:rejected|denied|blocked|verify failed|verification failed|refused|not allowed)|(?:invalid|unknown|bad|unverified) sender|sender.{0,20} domain/i,
    'policy',
  ],
  [
    /(?:at a|daily|sending|message|receiving) rate|too (?:fast|quickly|many (?:messages|connections))|rate.?limit/i,
    'infrastructure',
  ],
  [
    /(?:mailbox|inbox|account|user|quota) (?:is |has )?(?:full|over|exceeded)|mailbox .{0,30}(?:full|exceeded)|over\s?-?quota|over (?:the |its |their )?(?:storage |disk )?(?:quota|limit)|quota ?(?:exceeded|full)|exceed\w* .{0,30}(?:quota|storage)|insufficient (?:system |disk |mailbox )?(?:storage|space)|out of (?:storage|space)/i,
    'mailbox_full',
  ],
  [/(?:message|mail|size|attachment)\b.{0,30}(?:too (?:large|big|long)|exceed)/i, 'content'],
  [
    /(?:no|not a) (?:such |valid )?(?:user|recipient|mailbox|address|person)(?: here| by that name)|no such (?:user|recipient|mailbox|address|person)|(?:user|recipient|mailbox|account|email address)\b.{0,40}(?:unknown|not found|doesn.t exist|does not exist|not exist|no longer|disabled|invalid|unavailable|inactive|suspended|doesn.t have an? )|(?:unknown|invalid|bad|non-?existent|unrouteable|undeliverable) (?:user|recipient|mailbox|address)|(?:user|recipient|mailbox)\W+(?:is )?unknown/i,
    'recipient',
  ],
  [
    /\bspam(?!haus|cop)|junk|virus|malware|phish|unsolicited (?:mail|message|bulk)|content (?:rejected|denied)|potential security issue/i,
    'content',
  ],
  [
    /black ?list|block ?list|dnsbl|\brbl\b|blocked|reputation|policy|policies|prohibit|banned|denied|not (?:authorized|permitted|allowed|accepted|welcome)|\bspf\b|\bdkim\b|\bdmarc\b|relay|authentication|reverse dns|\bptr\b|unverified/i,
    'policy',
  ],
];

/** Whether another email to the same address would bounce as well. */
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
  recipient: 'The receiving server does not accept mail for this address. Correct the address or stop sending to it.',
  mailbox_full: "The recipient's mailbox is full. Try again later.",
  content: 'The receiving server refused this message because of its content or size. Change the message.',
  policy: 'The receiving server refuses mail from this sender. Its reply names the rule.',
  infrastructure:
    "The receiving server has a fault and rejected the message with a permanent (5xx) code. Contact the recipient's postmaster.",
  expired: 'The email expired before a server accepted it.',
  suppressed: 'The address is on the suppression list because earlier mail to it bounced.',
};

/** The bounce for a server's permanent refusal. */
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

const quoted = ({ replyCode, enhancedCode, text }: SmtpReply): string =>
  `Reply: ${[replyCode, enhancedCode, text].filter((part) => part !== undefined && part !== '').join(' ')}`;

/** A bounce that no server caused: no route to the domain, or expiry. */
export function bounceWithoutRefusal(
  category: BounceCategory,
  details: Partial<Pick<Bounce, 'reason' | 'smtp_code' | 'enhanced_code' | 'diagnostic' | 'remote_mta' | 'attempt'>>,
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
    ...details,
  };
}

/** The enhanced code decides first, then the text where that code leaves it open, then the reply code. */
export function classifyReply(reply: SmtpReply, command: SmtpCommand): BounceCategory {
  const [, subject = '', detail = ''] = reply.enhancedCode?.split('.') ?? [];
  if (`${subject}.${detail}` === '4.1' && DIRECTORY_REFUSAL.test(reply.text)) return 'recipient';
  const { textMaySay, otherwise } = undecided(CATEGORY_BY_CODE[`${subject}.${detail}`] ?? CATEGORY_BY_CODE[subject]);
  const byText = textMaySay.length === 0 ? undefined : categoryOfText(reply.text);
  if (byText !== undefined && textMaySay.includes(byText)) return byText;
  return otherwise ?? classifyReplyCode(reply.replyCode, command);
}

function undecided(category: BounceCategory | Undecided | undefined): Undecided {
  if (category === undefined) return { textMaySay: ANY, otherwise: undefined };
  return typeof category === 'string' ? { textMaySay: [], otherwise: category } : category;
}

function categoryOfText(text: string): BounceCategory | undefined {
  // Addresses and links may contain any words.
  const words = text.replace(/<[^<>]*>|\S*@\S*|https?:\/\/\S*/g, ' ');
  return CATEGORY_BY_TEXT.find(([expression]) => expression.test(words))?.[1];
}

/** RFC 5321 section 4.2.3. */
function classifyReplyCode(replyCode: number, command: SmtpCommand): BounceCategory {
  if (replyCode === 552) return 'mailbox_full';
  if (command === 'RCPT TO' && [550, 551, 553].includes(replyCode)) return 'recipient';
  // RFC 7504: the host, or the recipient's domain, accepts no mail.
  if (replyCode === 556 || (replyCode === 521 && command === 'CONNECT')) return 'recipient';
  if ([521, 550, 553, 554].includes(replyCode)) return 'policy';
  return 'infrastructure';
}
