// Texts of receivers' refusals.
import type { Bounce } from '../resources/email.ts';

/** Matches if one of the expressions does, in any case. */
const anyOf = (...expressions: readonly RegExp[]): RegExp =>
  new RegExp(expressions.map(({ source }) => source).join('|'), 'i');

/**
 * A text with one of these is about the sender, the message or the moment, whatever else it says: an address is given up
 * only if nothing speaks for it.
 */
export const NOT_THE_ADDRESS = anyOf(
  /sender/,
  /\bfrom\b.{0,20}(?:not|invalid|reject|unknown)/,
  /\bmail from\b/,
  /return.?path/,
  /bounce address/,
  /\byour (?:mailbox|account|user|address)/,
  /\b(?:helo|ehlo)\b/,
  /badprimary/,
  /time[ds]? ?out/,
  /spam/,
  /black ?list/,
  /block ?list/,
  /\bblocked\b/,
  /dnsbl/,
  /\brbl\b/,
  /reputation/,
  /\bspf\b/,
  /\bdkim\b/,
  /\bdmarc\b/,
  /authenticat/,
  /reverse dns/,
  /\bptr\b/,
  /virus/,
  /malware/,
  /phish/,
  /content/,
  /polic(?:y|ies)/,
  /prohibit/,
  /denied/,
  /quota/,
  /over\s?quota/,
  /\bfull\b/,
  /pleine/,
  /limit/,
  /frequen/,
  /throttl/,
  /\brate\b/,
  /too (?:many|fast|large|big)/,
  /hourly/,
  /daily/,
  /per (?:hour|minute|day)/,
  /temporar/,
  /again later/,
  /try again/,
  /plus tard/,
  /gr[ea]y ?list/,
  /suspend/,
);

/**
 * The first match decides: a text about the sender may also contain an address, "mailbox full" contains "mailbox", and
 * "blocked as spam" contains "blocked".
 */
export const CATEGORY_BY_TEXT: readonly (readonly [RegExp, Bounce['category']])[] = [
  [
    anyOf(
      /sender (?:address )?(?:rejected|denied|blocked|verify failed|verification failed|refused|not allowed)/,
      /(?:invalid|unknown|bad|unverified) sender/,
      /sender.{0,20} domain/,
    ),
    'policy',
  ],
  [
    anyOf(
      /(?:at a|daily|sending|message|receiving) rate/,
      /too (?:fast|quickly|many (?:messages|connections|mails?))/,
      /rate.?limit/,
      /frequency limit/,
      /hourly/,
      /throttl/,
      /messages? per (?:hour|minute|day)/,
      /gr[ea]y ?list/,
      /(?:daily|receive|receiving|recipient) limit/,
    ),
    'infrastructure',
  ],
  [
    anyOf(
      /(?:mailbox|inbox|account|user|quota) (?:is |has )?(?:full|over|exceeded)/,
      /mailbox .{0,30}(?:full|exceeded)/,
      /over\s?-?quota/,
      /over (?:the |its |their )?(?:storage |disk )?(?:quota|limit)/,
      /boite .{0,20}pleine/,
      /storage full/,
      /quota ?(?:exceeded|full)/,
      /exceed\w* .{0,30}(?:quota|storage)/,
      /insufficient (?:system |disk |mailbox )?(?:storage|space)/,
      /out of (?:storage|space)/,
    ),
    'mailbox_full',
  ],
  [/(?:message|mail|size|attachment)\b.{0,30}(?:too (?:large|big|long)|exceed)/i, 'content'],
  [
    anyOf(
      /(?:no|not a) (?:such |valid )?(?:user|recipient|mailbox|address|person)(?: here| by that name)/,
      /no such (?:user|recipient|mailbox|address|person)/,
      /not a valid (?:user|recipient|mailbox)/,
      /(?:user|recipient|mailbox|account|email address)\b.{0,40}(?:unknown|not found|doesn.t exist|does not exist|not exist|no longer|disabled|invalid|unavailable|inactive|suspended|doesn.t have an? )/,
      /(?:unknown|invalid|bad|non-?existent|unrouteable|undeliverable) (?:user|recipient|mailbox|address)/,
      /(?:user|recipient|mailbox)\W+(?:is )?unknown/,
      /destinataire (?:invalide|inconnu)/,
      /(?:user|account|recipient|mailbox) (?:was |is |could )?not (?:be )?found/,
      /mailbox (?:not found|closed|terminated)/,
    ),
    'recipient',
  ],
  [
    anyOf(
      /\bspam(?!haus|cop)/,
      /junk/,
      /virus/,
      /malware/,
      /phish/,
      /unsolicited (?:mail|message|bulk|email)/,
      /anti-?spam/,
      /content (?:rejected|denied)/,
      /potential security issue/,
    ),
    'content',
  ],
  [
    anyOf(
      /black ?list/,
      /block ?list/,
      /dnsbl/,
      /\brbl\b/,
      /blocked/,
      /reputation/,
      /policy/,
      /policies/,
      /prohibit/,
      /banned/,
      /denied/,
      /not (?:authorized|permitted|allowed|accepted|welcome)/,
      /\bspf\b/,
      /\bdkim\b/,
      /\bdmarc\b/,
      /relay/,
      /authentication/,
      /reverse dns/,
      /\bptr\b/,
      /unverified/,
    ),
    'policy',
  ],
];
