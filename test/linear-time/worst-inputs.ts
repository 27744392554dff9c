// What a stranger sends is parsed in linear time, and does not become much longer: everything that makes expressions backtrack, or expands.
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { readSender } from '../../src/lib/mail-rules/read-sender.ts';
import { withoutSecrets } from '../../src/lib/without-secrets.ts';
import { checkInputFaults } from '../../src/agents-md/check-input.ts';
import { measureFile } from '../../src/agents-md/measure-file.ts';
import { readMarkdown } from '../../src/agents-md/read-markdown.ts';
import { symlinkText } from '../../src/agents-md/symlink-text.ts';
import { requestedWaitMs } from '../../src/code-host/rate-limit.ts';
import { judgeValues } from '../../src/lib/dns/records/compare-record.ts';
import { diagnose } from '../../src/lib/dns/findings/diagnose.ts';
import { compareDkimKey, looksLikeDkimKey } from '../../src/lib/dns/records/dkim-key.ts';
import { isDmarc, isValidDmarc } from '../../src/lib/dns/records/dmarc-policy.ts';
import {
  trimFoldingWhitespace,
  unquoted,
  withoutWhitespace,
  withPlainSpaces,
} from '../../src/lib/dns/records/folding-whitespace.ts';
import { expandMacros, isDomainSpec } from '../../src/lib/dns/spf/spf-macro.ts';
import { compareSpf, isSpfWithoutVersion, parseSpf } from '../../src/lib/dns/spf/spf-record.ts';
import { parseTagList } from '../../src/lib/dns/records/tag-list.ts';
import { explainKey } from '../../src/lib/dns/records/wrapped-key.ts';
import { apiKeyTokenFault } from '../../src/email-service/auth/api-key-token.ts';
import { domainNameFault } from '../../src/lib/mail-rules/domain-name-fault.ts';
import { mailAddressFault } from '../../src/lib/mail-rules/mail-address-fault.ts';
import { sandboxFault } from '../../src/email-service/delivery/sandbox.ts';
import { emailFaults } from '../../src/email-service/http/schemas/email-request.ts';
import { holdContents } from '../../src/email-service/http/held-contents.ts';
import { attachmentFaults } from '../../src/email-service/http/schemas/attachments.ts';
import { CONTENT_ID, CONTENT_TYPE } from '../../src/email-service/http/schemas/request-fields.ts';
import { scheduledTimeFault } from '../../src/email-service/http/scheduled-time.ts';
import { messageHeaderFaults } from '../../src/email-service/http/schemas/message-header-faults.ts';
import { webhookUrlFault } from '../../src/email-service/webhooks/webhook-url-fault.ts';
import { bounceOfReply } from '../../src/email-service/delivery/classify-bounce.ts';
import { parsePolicy, policyIdIn } from '../../src/email-service/delivery/mta-sts-policy.ts';
import { parseSmtpReply } from '../../src/email-service/delivery/smtp-reply.ts';
import { SmtpReplyReader } from '../../src/email-service/delivery/smtp-reply-reader.ts';
import { readIdempotencyKey } from '../../src/lib/http/read-idempotency-key.ts';
import { retryAfterMs } from '../../src/lib/http/retry-after.ts';
import { positionOf } from '../../src/http/page.ts';
import { preferredWaitSeconds } from '../../src/lib/http/preferred-wait.ts';
import { inputFaults } from '../../src/onboarding/input.ts';
import { escapeMarkdown } from '../../src/lib/escape-markdown.ts';
import { parseJson } from '../../src/lib/parse-json.ts';
import { printable } from '../../src/lib/printable.ts';
import { optionalText, unstructuredText } from '../../src/email-service/delivery/header-text.ts';
import { zoneFile } from '../../src/http/setup-page/zone-file.ts';
import { collected, dkim, dmarc, found, returnPath, spf } from '../lib/dns/collected.ts';

export const BYTES = 64 * 1024;
/** Compared with an eighth of it: linear takes eight times as long for it, quadratic sixty-four times. */
const MEASURED_BYTES = 16 * 1024;
const FACTOR = 8;
const GROWTH_MAX = 40;
/** What takes less than this has not grown with the square of its length, or by so little that 64 KB take an eighth of a second. */
const QUICK_MS = 8;
/** A process that collects garbage or shares its processor seems slow for once. What is quadratic is so each time. */
const ROUNDS = 5;

/** What is repeated: separators, quotes, marks, half of each pair. */
const UNITS = [
  ...Array.from(' \t\n\r\0a0=;:,."\'\\/-+_*#~`<>()[]{}@|!?&$%^'),
  ...[
    '\r\n',
    '\n\n',
    ' \t',
    '""',
    '\\"',
    '"\\',
    '" ',
    'a ',
    ' a',
    'a=',
    'a=b;',
    ';;',
    ' =',
    '= ',
    'a.',
    'a:',
    '1 ',
    'a,',
  ],
  ...['> ', '* ', '- ', '1. ', '`` ` ', '<!--', '-->', '<!-- --', '~~~', '===', '---\n', '> > ', '\t* ', '[a](', '!['],
  ...[
    'v=',
    'p=',
    ' p',
    ';p ',
    'k=rsa;',
    'ip6:1:',
    ' ip4:1',
    ' a:b',
    ' mx',
    'include:a ',
    '%{d}',
    '%%',
    '%{',
    '1:',
    'f:',
    '/1',
  ],
  ...['\u00a0', '\u200b', '\ufeff', '\u201c ', '\u201c', 'é', '\ud800', '\u{1f600}'],
  ...[
    'user',
    'user ',
    'exceeded ',
    'mailbox ',
    '250-',
    '550-a\n',
    '250 ok\r\n',
    'GMT',
    'Bearer ',
    '-----BEGIN',
    '-----END',
    'whsec_',
  ],
];
/** What stands before, so that a parser gets to what is repeated. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'a tag list': ['v=', 'v=DKIM1; p='],
  'a DKIM key': ['v=DKIM1; p='],
  'a key with something around it': ['v=DKIM1; p=', 'k1 IN TXT ', `"${dkim.value}`],
  'an SPF record': ['v=spf1 ', 'v=spf1 ip6:'],
  'an SPF domain with macros': ['%{d', '%{'],
  'a DMARC policy': ['v=DMARC1; p=none;'],
  'a value of any purpose': ['v=spf1 ', 'v=DMARC1; p=none;', '10 '],
  'a Prefer header': ['wait=', 'wait="'],
  'an SMTP reply': ['550 5.1.1 '],
  'SMTP replies in pieces': ['550 5.1.1 '],
  'an email address': ['a@'],
  'the URL of a webhook': ['https://', 'https://a.example/'],
  Markdown: ['* ', '# ', 'a <!-- --> ', '<!--', '`', '[a](b '],
  'a file': ['See '],
};

type Attack = (bytes: number) => string;

const attacksOn = (name: string): readonly Attack[] =>
  UNITS.flatMap((unit) =>
    ['', 'x', ...(BEFORE[name] ?? [])].flatMap((before) =>
      ['', 'x'].map(
        (behind): Attack =>
          (bytes) =>
            before + unit.repeat(Math.ceil(bytes / unit.length)) + behind,
      ),
    ),
  );

export const macroValues = {
  domain: 'acme.com',
  sender: 'acme.com',
  client: { address: ipaddr.IPv4.parse('192.0.2.1'), prefixBits: 32 },
};
const about = { domain: 'acme.com', fromAddress: 'a@acme.com' };

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'folding whitespace': (text) => [trimFoldingWhitespace(text), withoutWhitespace(text), withPlainSpaces(text)],
  'a tag list': parseTagList,
  'a DKIM key': (text) => [looksLikeDkimKey(text), compareDkimKey(dkim.value, text)],
  'a key with something around it': (text) => [unquoted(text), explainKey(dkim.value, text)],
  'an SPF record': (text) => [parseSpf(text), compareSpf(spf.value, text), isSpfWithoutVersion(text)],
  'an SPF domain with macros': (text) => [isDomainSpec(text), expandMacros(text, macroValues)],
  'a DMARC policy': (text) => [isDmarc(text), isValidDmarc(text)],
  'a value of any purpose': (text) => [dkim, spf, returnPath, dmarc].map((expected) => judgeValues(expected, [text])),
  Markdown: readMarkdown,
  'a file': (text) => measureFile(Buffer.from(text), false),
  'a symlink': (text) => symlinkText(text, 'a/AGENTS.md', BYTES),
  'the input of a check': (text) => checkInputFaults({ producerId: text, organization: text, repository: text }),
  "a code host's headers": (text) => requestedWaitMs({ 'retry-after': text, 'x-ratelimit-reset': text }, 0),
  'the sender of an email': (text) => readSender({ address: text, name: text }),
  'an SMTP reply': (text) => parseSmtpReply(text),
  'the text of a bounce': (text) =>
    bounceOfReply({
      reply: { replyCode: 550, enhancedCode: undefined, text: parseSmtpReply(`550 ${text}`)?.text ?? '' },
      ...{ command: 'RCPT TO', remoteMta: 'mx.test', attempt: 1 },
    }),
  'SMTP replies in pieces': (text) => {
    const reader = new SmtpReplyReader();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 100)
      if (reader.read(bytes.subarray(at, at + 100), () => undefined) !== undefined) break;
    return reader.end();
  },
  'an MTA-STS policy': (text) => [parsePolicy(text), parsePolicy(`version: STSv1\nmode: enforce\nmx: ${text}`)],
  'an MTA-STS record': (text) => policyIdIn([text, `v=STSv1;${text}`, `v=STSv1${text}`]),
  'a Retry-After header': (text) => retryAfterMs(text, 0),
  'a Prefer header': (text) => preferredWaitSeconds(text, 10),
  JSON: parseJson,
  'a cursor': (text) => refused(() => positionOf('onboardings', text)),
  'an Idempotency-Key header': (text) => refused(() => readIdempotencyKey(text)),
  'the token of an API key': apiKeyTokenFault,
  'a domain name': domainNameFault,
  'an email address': mailAddressFault,
  'a recipient of the sandbox': (text) => sandboxFault(`${text}@sandbox.invalid`),
  'the time of an email that leaves later': (text) => scheduledTimeFault(text, new Date(0)),
  'the recipients of an email': (text) =>
    emailFaults(
      {
        request: { sender_id: 's', recipient: [text, text], cc: [text], subject: 's', body: 'b' },
        ...{ contents: [], pointer: '' },
      },
      new Date(0),
    ),
  'an attachment': (text) => [
    attachmentFaults({ attachments: [{ filename: text, content: '', content_type: text }] }, [Buffer.from(text)]),
    holdContents(Buffer.from(`"content":"${text}`)),
    holdContents(Buffer.from(`"content":"${'\\/'.repeat(70_000)}"${text}`)),
    new RegExp(CONTENT_TYPE, 'u').test(`a/${text}`),
    new RegExp(CONTENT_TYPE, 'u').test(`a/b; c="${text}`),
    new RegExp(CONTENT_ID, 'u').test(text),
  ],
  'headers of a message': (text) => messageHeaderFaults({ [text]: text }, '/headers'),
  'the URL of a webhook': (text) => webhookUrlFault(text, { allowPrivateAddresses: false, blockedNetworks: [] }),
  'the input of an onboarding': (text) =>
    inputFaults({ tenantId: text, ...about, firstEmail: { recipient: text, subject: text, body: text } }),
  'secrets in a message': withoutSecrets,
  'text in Markdown': escapeMarkdown,
  'text in a terminal': printable,
  'a header field': (text) => [unstructuredText('Subject', text), optionalText('X-Field', text)],
};

function refused(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** Of this process alone. */
function cpuMs(run: () => unknown): number {
  const startedAt = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1_000;
}

/** Compares the least of several runs each, because everything else that happens only adds to one. */
export function isLinear(parse: (text: string) => unknown, attack: Attack): boolean {
  const [small, large] = [attack(MEASURED_BYTES / FACTOR), attack(MEASURED_BYTES)];
  let [smallMs, largeMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    largeMs = Math.min(
      largeMs,
      cpuMs(() => parse(large)),
    );
    if (largeMs < QUICK_MS) return true;
    smallMs = Math.min(
      smallMs,
      cpuMs(() => parse(small)),
    );
    if (largeMs < smallMs * GROWTH_MAX) return true;
  }
  return false;
}

/** A byte is at most four characters in a zone file, and a value is in the fix and the fields of a few findings. */
const OUTPUT_FACTOR_MAX = 20;
const ALLOWANCE = 1_000;

/** The characters in all strings. */
function sizeOf(output: unknown): number {
  if (typeof output === 'string') return output.length;
  if (typeof output !== 'object' || output === null) return 0;
  const parts: readonly unknown[] = output instanceof Map ? [...output] : Object.values(output);
  return parts.reduce<number>((size, part) => size + sizeOf(part), 0);
}

/** Tests every parser with each `step`-th attack: linear-time.long.test.ts makes all of them. */
export function testParsers(step: number): void {
  const attacks = (name: string): readonly Attack[] => attacksOn(name).filter((_, at) => at % step === 0);
  const units = UNITS.filter((_, at) => at % step === 0);

  describe('the worst input is read in linear time:', () => {
    test.each(Object.entries(parsers))(
      '%s',
      (name, parse) => {
        const slow = attacks(name).find((attack) => !isLinear(parse, attack));
        expect(slow?.(40)).toBeUndefined();
        for (const unit of units) parse(unit.repeat(BYTES / unit.length));
      },
      120_000,
    );
  });

  describe('what is made of 1 KB of the worst input has at most twenty times its size:', () => {
    test.each(
      Object.entries({
        ...parsers,
        'a record in a zone file': (text: string) => zoneFile([{ type: 'TXT', name: 'acme.com', value: text }], [text]),
        'the findings of a check': (text: string) =>
          [dkim, spf, returnPath, dmarc].map((expected) => diagnose('acme.com', [collected(expected, found(text))])),
      }),
    )('%s', (name, parse) => {
      const bytes = 1024;
      const long = attacks(name).find((attack) => sizeOf(parse(attack(bytes))) > bytes * OUTPUT_FACTOR_MAX + ALLOWANCE);
      expect(long?.(40)).toBeUndefined();
    });
  });
}
