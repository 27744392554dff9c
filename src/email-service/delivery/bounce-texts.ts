// Texts of receivers' refusals.
import type { Bounce } from '../resources/email.ts';

/** Matches if one of the expressions does, in any case. */
const anyOf = (...expressions: readonly RegExp[]): RegExp => joined(expressions, 'i');

const joined = (expressions: readonly RegExp[], flags: string): RegExp =>
  new RegExp(expressions.map(({ source }) => source).join('|'), flags);

/** Whole phrases, because a word of theirs alone may be about the sender, the message or the moment. */
const PHRASES_OF_ADDRESSES = joined(
  [
    /in (?:the )?(?:virtual|local|relay|canonical) (?:mailbox|alias|recipient|user) (?:table|maps?)/,
    /(?:recipient|destination|mailbox|email)? ?(?:addresse?s?|recipients?)(?: was| is)? rejected/,
    /(?:that )?you (?:try|tried|are trying) to reach/,
    /(?:local )?(?:mailbox|user|account|recipient) +(?:is +)?(?:unavailable|not available)/,
    /no longer on (?:the )?server/,
    /(?:on|at|in|of) (?:this|the|our) (?:domain|host|system|server)/,
    /host unknown|name server: *\S* *host not found/,
    /host \S+ said:/,
    /syntax error/,
    /please try (?:double-)?checking the recipient.s (?:email )?address for typos or (?:unnecessary )?spaces/,
    /(?:address|user|recipient|mailbox) has moved(?: to)?/,
    /has null mx/,
    /not found by smtp address lookup/,
    /for (?:an? |more |further )?(?:explanation|information|details),? (?:please )?(?:visit|see|go to)|learn more at|please see/,
    /requested (?:mail )?action (?:not taken|aborted)/,
    /message was not accepted -- (?=invalid mailbox)/,
    /sorry,? your message to {1,4}cannot be delivered/,
    /delivery error: dd/,
    /not our customer/,
    /either there is no mailbox associated with this name or you do not have authorization to see it/,
    /access to this (?=account is disabled)/,
    /we weren.t able to find the recipient domain. please check for any spelling errors.*/,
    /in reply to (?:end of )?(?:rcpt to|data) command/,
  ],
  'gi',
);

const WORDS_OF_ADDRESSES: ReadonlySet<string> = new Set(
  [
    'a an the this that it its is was are been has have had be does do did for of or and in at on by to with here there',
    'no not non cannot couldn could doesn dosn don t didn isn exist exists existent nonexistent existing found',
    'address addresses addressee recipient recipients user users username account accounts mailbox mailboxes inbox alias',
    'person name email e such any',
    'unknown invalid valid bad wrong illegal incorrect undeliverable unrouteable unroutable ambiguous',
    'disabled deactivated discontinued closed deleted removed terminated inactive inactivity expired due longer active anymore',
    'syntax malformed format sorry marked as rfc rcpt',
    'yahoo gmail google gsmtp psmtp mode normal chkuser',
    'resolver adr recipientnotfound exrecipnotfound',
    // French, German, Spanish, Portuguese, Italian, Dutch
    'adresse d au moins un destinataire invalide inconnu inconnue utilisateur existe pas ne n le la',
    'empf\u00e4nger teilnehmer rca unbekannt benutzer unbekannter ung\u00fcltig ung\u00fcltige existiert nicht',
    'usuario desconocido buzon buz\u00f3n destinatario invalido inv\u00e1lido desconhecido usu\u00e1rio utente sconosciuto inesistente',
    'onbekend onbekende gebruiker ontvanger bestaat niet',
  ].flatMap((line) => line.split(' ')),
);

/**
 * An address is given up only for a text of which each word is about addresses: what else servers say beside a code for
 * the address, of the moment, the sender or the connection, has no end.
 */
export function isOnlyAboutTheAddress(text: string): boolean {
  return text
    .toLowerCase()
    .replaceAll(PHRASES_OF_ADDRESSES, ' ')
    .split(/\s+/)
    .filter((token) => !/\d/.test(token) && !HOST_NAME.test(token))
    .flatMap((token) => token.split(/[^\p{L}\p{M}]+/u))
    .every((word) => word.length < 2 || WORDS_OF_ADDRESSES.has(word));
}

const HOST_NAME = /^[("'[]*[a-z-]+(?:\.[a-z-]+)+[.,:;)"'\]]*$/;

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
      /(?:messages?|mails?) per (?:hour|minute|day)/,
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
      /(?:user|recipient|mailbox|account|email address|rcpt)\b.{0,40}(?:unknown|not found|doe?sn.t exist|does not exist|not exist|no longer|disabled|invalid|unavailable|inactive|suspended|doesn.t have an? )/,
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
      /content (?:rejected|denied|filter)/,
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
      /(?<!not )listed (?:at|in|on|by)\b/,
      /spoof|forger/,
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
    ),
    'policy',
  ],
];
