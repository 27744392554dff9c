import type { Bounce, LateBounce } from '../resources/email.ts';
import { CATEGORY_BY_TEXT, isOnlyAboutTheAddress } from './bounce-texts.ts';
import { parseSmtpReply, type SmtpReply } from './smtp-reply.ts';

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

/** An unlisted code says nothing certain about the address, whatever its text. */
const NOT_THE_RECIPIENT = ANY.filter((category) => category !== 'recipient');

/**
 * RFC 3463 subject and detail, with the additions of its IANA registry (RFC 5248, 6710, 7372, 7505). A subject alone
 * applies to its unlisted details, of which servers invent new ones: Exchange Online has 5.1.90 and 5.2.122 for limits on
 * the number of messages.
 */
const CATEGORY_BY_CODE: Readonly<Record<string, BounceCategory | Undecided>> = {
  '0': { textMaySay: ANY, otherwise: undefined },
  '1': { textMaySay: NOT_THE_RECIPIENT, otherwise: 'infrastructure' },
  '1.0': { textMaySay: ANY, otherwise: undefined },
  '1.1': 'recipient', // no such mailbox
  '1.2': 'recipient', // no such host
  '1.3': 'recipient', // malformed
  '1.4': 'recipient', // ambiguous
  '1.6': 'recipient', // moved, without a new address
  '1.10': 'recipient', // null MX
  '1.7': 'policy', // the sender's mailbox address
  '1.8': 'policy', // the sender's system address
  '2': { textMaySay: NOT_THE_RECIPIENT, otherwise: 'infrastructure' },
  '2.0': { textMaySay: ANY, otherwise: 'infrastructure' },
  '2.1': { textMaySay: NOT_THE_RECIPIENT, otherwise: 'recipient' }, // Gmail also uses it for too much mail at once
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
  '7.17': 'recipient', // the mailbox has a new owner
};

/** Exchange Online replies `5.4.1 Recipient address rejected: Access denied` if its directory lacks the recipient. */
const DIRECTORY_REFUSAL = /recipient address(?:es)? rejected ?: access denied/i;

/** Codes of Orange and La Poste (OFR_506, LPN007_510) and of NetEase (DT:SPM); those about a recipient have it in their text. */
const OPERATOR_CODE = /\b(?:OFR|LPN|OUK)\d{0,3}[_-]?\d{3}\b|\b(?:DT|MI|HL|RP|WM):[A-Z]{3}\b/i;

type PermanentFor = Bounce['permanent_for'];

/** Whether a refusal of each category is one for good of the address, or only of the message; null: the same email may be accepted later. */
const PERMANENT_FOR: Readonly<Record<BounceCategory, PermanentFor>> = {
  recipient: 'address',
  suppressed: 'address',
  policy: 'message',
  content: 'message',
  mailbox_full: null,
  infrastructure: null,
  expired: null,
  cancelled: null,
};

const UNEXPLAINED_RECIPIENT =
  'The receiving server refused this recipient without a reason that is known. Check the address before you send to it again.';

const REASON: Readonly<Record<BounceCategory, string>> = {
  recipient: 'The receiving server does not accept mail for this address. Correct the address or stop sending to it.',
  mailbox_full: "The recipient's mailbox is full. Try again later.",
  content: 'The receiving server refused this message because of its content or size. Change the message.',
  policy: 'The receiving server refused this message because of a rule about its sender. Its reply names the rule.',
  infrastructure:
    "The receiving server has a fault and rejected the message with a permanent (5xx) code. Contact the recipient's postmaster.",
  expired: 'The email expired before a server accepted it.',
  suppressed: 'The address is on the suppression list, so nothing was sent.',
  cancelled: 'The email was cancelled before an attempt to deliver it began, so nothing was sent.',
};
export function bounceOfReply(refusal: {
  readonly reply: SmtpReply;
  readonly command: SmtpCommand;
  readonly remoteMta: string;
  readonly attempt: number;
}): Bounce {
  const { reply, command, remoteMta, attempt } = refusal;
  const { category, isCertain } = verdictOn(reply, command);
  return {
    category,
    ...permanence(isCertain ? PERMANENT_FOR[category] : null),
    reason: `${isCertain ? REASON[category] : UNEXPLAINED_RECIPIENT} ${quoted(reply)}`,
    smtp_code: reply.replyCode,
    enhanced_code: reply.enhancedCode ?? null,
    diagnostic: reply.text === '' ? null : reply.text,
    remote_mta: remoteMta,
    attempt,
  };
}

const quoted = ({ replyCode, enhancedCode, text }: SmtpReply): string =>
  `Reply: ${[replyCode, enhancedCode, text].filter((part) => part !== undefined && part !== '').join(' ')}`;

const GIVEN_UP = 'The server that had accepted the email could not deliver it in time, and gave it up.';

/**
 * What a server reported after another one had accepted the email.
 * @param status of the report, for a diagnostic without a code: Exim's is always 5.0.0
 * @param diagnostic a reply, or other words
 */
export function lateBounceOf(
  { status, diagnostic }: { readonly status: string | undefined; readonly diagnostic: string },
  at: Date,
): LateBounce {
  const given = parseSmtpReply(diagnostic);
  const code = given?.enhancedCode ?? status;
  // Words without a reply code say as much as those of a server that uses 550 for every refusal.
  const reply = given ?? parseSmtpReply(`550 ${diagnostic}`) ?? { replyCode: 550, text: '' };
  const said = [given?.replyCode, code, reply.text].filter((part) => part !== undefined && part !== '').join(' ');
  const of = { at: at.toISOString(), code: code ?? null };
  const isTemporary = given === undefined ? code?.startsWith('4') === true : given.replyCode < 500;
  if (isTemporary) return { ...of, category: 'expired', permanent: false, reason: `${GIVEN_UP} Report: ${said}` };
  const { category, isCertain } = verdictOn({ ...reply, enhancedCode: code }, 'RCPT TO');
  const words = isCertain ? REASON[category] : UNEXPLAINED_RECIPIENT;
  const { permanent } = permanence(isCertain ? PERMANENT_FOR[category] : null);
  return { ...of, category, permanent, reason: `${words} Report: ${said}` };
}

/** A bounce that no server caused: no route to the domain, or expiry. */
export function bounceWithoutRefusal(
  category: BounceCategory,
  details: Partial<Pick<Bounce, 'reason' | 'smtp_code' | 'enhanced_code' | 'diagnostic' | 'remote_mta' | 'attempt'>>,
): Bounce {
  return {
    category,
    ...permanence(PERMANENT_FOR[category]),
    reason: REASON[category],
    smtp_code: null,
    enhanced_code: null,
    diagnostic: null,
    remote_mta: null,
    attempt: null,
    ...details,
  };
}

/** @param suppressed when and why */
export const suppressedBounce = ({ at, reason }: { readonly at: string; readonly reason: string }): Bounce =>
  bounceWithoutRefusal('suppressed', {
    reason: `The address has been on the suppression list since ${at}, so nothing was sent. ${reason}`,
  });

const permanence = (permanentFor: PermanentFor): Pick<Bounce, 'permanent' | 'permanent_for'> => ({
  permanent: permanentFor === 'address',
  permanent_for: permanentFor,
});

interface Verdict {
  readonly category: BounceCategory;
  /** False if only the reply code speaks against the recipient: many servers use 550 for every refusal. */
  readonly isCertain: boolean;
}

/** The enhanced code decides first, then the text where that code leaves it open, then the reply code. */
function verdictOn(reply: SmtpReply, command: SmtpCommand): Verdict {
  const [, subject = '', detail = ''] = reply.enhancedCode?.split('.') ?? [];
  // Addresses and links may contain any words.
  const words = reply.text.replace(/<[^<>\s]*>|\S*@\S*|https?:\/\/\S*/g, ' ');
  if (`${subject}.${detail}` === '4.1' && DIRECTORY_REFUSAL.test(words))
    return { category: 'recipient', isCertain: true };
  const { textMaySay, otherwise } = undecided(CATEGORY_BY_CODE[`${subject}.${detail}`] ?? CATEGORY_BY_CODE[subject]);
  const byText = categoryOfText(words, textMaySay);
  const category = byText ?? otherwise;
  if (category !== undefined && category !== 'recipient') return { category, isCertain: true };
  if (category === undefined) {
    const byReplyCode = classifyReplyCode(reply.replyCode, command);
    // RFC 7504: 556 is about the recipient's domain and nothing else.
    const isCertain = byReplyCode !== 'recipient' || reply.replyCode === 556;
    return { category: byReplyCode, isCertain };
  }
  // Before RCPT TO, the server does not know the recipient.
  if (command !== 'RCPT TO' && command !== 'DATA') return { category: 'policy', isCertain: true };
  if (isOnlyAboutTheAddress(words)) return { category, isCertain: true };
  const other = categoryOfText(words, NOT_THE_RECIPIENT) ?? (otherwise === 'recipient' ? undefined : otherwise);
  return { category: other ?? category, isCertain: other !== undefined };
}

function undecided(category: BounceCategory | Undecided | undefined): Undecided {
  if (category === undefined) return { textMaySay: ANY, otherwise: undefined };
  return typeof category === 'string' ? { textMaySay: [], otherwise: category } : category;
}
function categoryOfText(words: string, mayBe: readonly BounceCategory[]): BounceCategory | undefined {
  if (mayBe.length === 0) return undefined;
  const found = CATEGORY_BY_TEXT.find(([expression, category]) => mayBe.includes(category) && expression.test(words));
  return found?.[1] ?? (OPERATOR_CODE.test(words) && mayBe.includes('policy') ? 'policy' : undefined);
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
