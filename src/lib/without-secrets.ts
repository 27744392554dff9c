/*
 * Removes credentials, no matter who issued them, from texts: errors of providers, libraries and drivers, and lines of the log. Every expression
 * stops at a quote, and takes a backslash only with the character after it, so that JSON stays JSON. Each needs linear time.
 */

const PEM = /-----BEGIN [A-Z ]{1,40}-----(?:[\w+/=\s:,.]|\\[nrt]|-(?!-))*(?:-----END [A-Z ]{1,40}-----)?/g;

/** The password of a URL, or a user name long enough to be a token; the rest of the URL stays. */
const USER_INFO = /(:\/\/(?:[^\s/?#"'\\:@]{0,200}:)?)(?:(?<=:)[^\s/?#"'\\]{1,500}|[^\s/?#"'\\:@]{20,500})@/g;

/** The path of a URL says what failed; its query may hold anything. */
const QUERY = /(\bhttps?:\/\/[^\s?#"'\\<>]{1,2000})\?[^\s#"'\\<>]+/gi;

/** The token in a link to a setup page. */
const SETUP_LINK = /(\/setup\/)[\w-]{40,}/g;

/** The token in the URL of an incoming webhook. */
const SLACK_WEBHOOK = /(hooks\.slack\.com\/services\/)[\w/]+/g;

/** Credentials that their beginning or form gives away. */
const FORMS = [
  /so_live_\w+/, // the email service
  /whsec_[\w+/=-]+/, // Standard Webhooks
  /re_(?=[a-z_]{0,40}[A-Z0-9])\w{8,}/, // Resend
  /SG\.[\w-]{10,}\.[\w-]{10,}/, // SendGrid
  /x(?:key|smtp)sib-[\w-]+/, // Brevo
  /mlsn\.[0-9a-f]{16,}/, // MailerSend
  /key-[0-9a-f]{32}\b/, // Mailgun
  /[0-9a-f]{32}-us\d{1,2}\b/, // Mailchimp
  /(?:AKIA|ASIA)[A-Z0-9]{16}\b/, // AWS
  /(?<![/+=.-])(?=[^/][A-Za-z0-9]{0,39}[/+])(?=[A-Z/+0-9]{0,39}[a-z])(?=[a-z/+0-9]{0,39}[A-Z])(?=[A-Za-z/+]{0,39}[0-9])[A-Za-z0-9/+]{40}(?![\w/+=.-])/, // the secret part of AWS
  /(?:IQoJ|FwoG|FQoG|AQoD)[\w+/]{60,}={0,2}/, // session tokens of AWS
  /(?:sk|rk)_(?:live|test)_\w{8,}/, // Stripe
  /SK[0-9a-f]{32}\b/, // Twilio
  /gh[pousr]_[A-Za-z0-9]{20,}/, // GitHub
  /github_pat_\w{20,}/,
  /glpat-[\w-]{16,}/, // GitLab
  /glptt-[\w-]{16,}/, // GitLab, of a trigger
  /xox[a-z]-[\w-]{10,}/, // Slack
  /npm_[A-Za-z0-9]{30,}/,
  /pypi-AgE[\w-]{16,}/, // PyPI
  /do[opr]_v1_[0-9a-f]{32,}/, // DigitalOcean
  /shp(?:at|ca|pa|ss)_[0-9a-f]{32}\b/, // Shopify
  /hf_[A-Za-z0-9]{30,}/, // Hugging Face
  /ATATT3[\w=-]{20,}/, // Atlassian
  /lin_(?:api|oauth)_\w{20,}/, // Linear
  /AGE-SECRET-KEY-1[A-Z0-9]{20,}/, // age
  /AIza[\w-]{30,}/, // Google
  /ya29\.[\w-]{10,}/,
  /sk-(?:(?:proj|ant|svcacct)-[\w-]{20,}|[A-Za-z0-9]{40,})/, // OpenAI, Anthropic
  /eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)*/, // JWT
];
const KNOWN_FORMS = new RegExp(String.raw`(?<!\w)(?:${FORMS.map(({ source }) => source).join('|')})`, 'g');

/** Not a word of prose, as in "Basic Authentication": that has no digit, no sign and no capital after its first letter. */
const SCHEMES = /\b((?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s{1,8})(?=[\w+/][a-z]{0,200}[A-Z0-9+/=_-])[\w.~+/-]{7,}={0,2}/g;

/** Tokens of Postmark are UUIDs, as IDs are: only the word before them tells. `"ApiTokens":["…","…"]`, `The server token … is wrong`. */
const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const TOKEN_UUIDS = new RegExp(
  String.raw`(tokens?[\\\s"'=:[]{1,12}(?:is |was )?)${UUID}(?:[\\\s"',]{1,8}${UUID})*`,
  'gi',
);

const CHARACTER = String.raw`(?:[^\s"'\\&,;<>(){}]|\\.)`;
const SCHEME = String.raw`(?:(?:Bearer|Basic|Token|Digest|ApiKey)\s)?`;

/** The value after `"token":"`, also inside of a string; after `password=`; after `X-Postmark-Server-Token: `, unless it is a word. */
const NAMED = new RegExp(
  String.raw`((?:pass(?:word|wd|phrase)|pwd|secret|token|authorization|signature|cookie|(?:api|private|signing|encryption|access|account|secret)[_-]?key(?:[_-]?id)?)` +
    String.raw`(?:(\\?["'])\s?:\s?\2(?=${CHARACTER})|(?:\s?=\s?["']?|:)(?![\s=>:\]])(?=${SCHEME}${CHARACTER}{5})|:\s(?=${SCHEME}(?:[^\s0-9"'\\]{0,200}[0-9]|[^\s"'\\]{16}))))` +
    `${SCHEME}${CHARACTER}+`,
  'gi',
);

/**
 * The same text with each credential replaced by `[secret]`: those of known forms, values that are named `token`, `password` and the
 * like, passwords and queries in URLs. IDs stay.
 */
export const withoutSecrets = (text: string): string =>
  text
    .replace(PEM, '[secret]')
    .replace(QUERY, '$1?[query]')
    .replace(USER_INFO, '$1[secret]@')
    .replace(SETUP_LINK, '$1[secret]')
    .replace(SLACK_WEBHOOK, '$1[secret]')
    .replace(TOKEN_UUIDS, '$1[secret]')
    .replace(NAMED, '$1[secret]')
    .replace(SCHEMES, '$1[secret]')
    .replace(KNOWN_FORMS, '[secret]');
