import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lateBounceOf } from '../../../src/email-service/delivery/classify-bounce.ts';
import { readReport, REPORT_BYTES_MAX } from '../../../src/email-service/inbound/read-report.ts';

const folder = new URL('reports/', import.meta.url);
const raw = (name: string): Buffer => readFileSync(new URL(`${name}.eml`, folder));
const AT = new Date('2026-11-26T12:00:00.000Z');

/** What each sample says about whom. Those of Postfix 3.7, Exim 4.96 and Sendmail 8.17 were made by these servers. */
const samples: Readonly<
  Record<string, { readonly recipient: string; readonly code: string | null; readonly says: string }>
> = {
  'postfix-unknown': { recipient: 'unknown@inbox.test', code: '5.1.1', says: 'recipient for good' },
  'postfix-nobody': { recipient: 'nobody@inbox2.test', code: '5.1.1', says: 'recipient for good' },
  'postfix-plain': { recipient: 'plain@inbox.test', code: '5.0.0', says: 'recipient for good' },
  'postfix-full': { recipient: 'full@inbox.test', code: '5.2.2', says: 'mailbox_full' },
  'postfix-busy': { recipient: 'busy@inbox.test', code: '4.3.2', says: 'expired' },
  'postfix-spam': { recipient: 'spam@inbox.test', code: '5.7.1', says: 'content' },
  'exim-unknown': { recipient: 'unknown@inbox.test', code: '5.1.1', says: 'recipient for good' },
  'exim-plain': { recipient: 'plain@inbox.test', code: '5.0.0', says: 'recipient for good' },
  'exim-full': { recipient: 'full@inbox.test', code: '5.2.2', says: 'mailbox_full' },
  'exim-busy': { recipient: 'busy@inbox.test', code: '4.3.2', says: 'expired' },
  'exim-spam': { recipient: 'spam@inbox.test', code: '5.7.1', says: 'content' },
  'exim-4.80-unknown': { recipient: 'unknown@inbox.test', code: '5.1.1', says: 'recipient for good' },
  'sendmail-unknown': { recipient: 'unknown@inbox.test', code: '5.1.1', says: 'recipient for good' },
  'sendmail-plain': { recipient: 'plain@inbox.test', code: '5.1.1', says: 'recipient for good' },
  'sendmail-full': { recipient: 'full@inbox.test', code: '5.2.2', says: 'mailbox_full' },
  'sendmail-busy': { recipient: 'busy@inbox.test', code: '4.3.2', says: 'expired' },
  'sendmail-spam': { recipient: 'spam@inbox.test', code: '5.7.1', says: 'content' },
  'qmail-unknown': { recipient: 'unknown@inbox.test', code: '5.1.1', says: 'recipient for good' },
};

test.each(Object.entries(samples))('reads the bounce %s', async (name, { recipient, code, says }) => {
  const reports = await readReport(raw(name));
  expect(reports).toMatchObject([{ kind: 'failed' }]);
  const [report] = reports;
  if (report?.kind !== 'failed') throw new Error('no bounce');
  expect(report.recipients).toContain(recipient);
  const lateBounce = lateBounceOf(report, AT);
  expect(lateBounce).toMatchObject({ at: AT.toISOString(), code });
  expect(`${lateBounce.category}${lateBounce.permanent ? ' for good' : ''}`).toBe(says);
});

const complaints: Readonly<Record<string, { readonly type: string; readonly recipients: readonly string[] }>> = {
  'arf-abuse': { type: 'abuse', recipients: ['unknown@inbox.test'] },
  'arf-fraud-without-recipient': { type: 'fraud', recipients: [] },
  'arf-unknown-type': { type: 'other', recipients: ['unknown@inbox.test'] },
};

test.each(Object.entries(complaints))('reads the complaint %s', async (name, complaint) => {
  expect(await readReport(raw(name))).toEqual([{ kind: 'complaint', ...complaint }]);
});

const noReports = ['arf-not-spam', 'vacation', 'read-receipt', 'delayed'];

test.each(noReports)('finds no report in %s', async (name) => {
  expect(await readReport(raw(name))).toEqual([]);
});

test('has every sample in these lists', () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.eml$/, ''));
  expect(files.sort()).toEqual([...Object.keys(samples), ...Object.keys(complaints), ...noReports].sort());
});

test('reads a report whose returned message is cut off', async () => {
  const whole = raw('postfix-unknown').toString('latin1');
  const long = whole.replace('Hello\r\n', 'Hello\r\n'.repeat(50_000));
  expect(await readReport(Buffer.from(long))).toMatchObject([{ kind: 'failed' }]);
});

test.each(Object.keys(samples))('never throws on a part of %s', async (name) => {
  const whole = raw(name);
  const outcomes = [];
  for (let end = 0; end < whole.length; end += 7) outcomes.push((await readReport(whole.subarray(0, end))).length <= 1);
  expect(outcomes).not.toContain(false);
});

const HEAD = 'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n';
const status = (body: string): string => `${HEAD}--b\r\nContent-Type: message/delivery-status\r\n\r\n${body}`;
const GROUP = 'Final-Recipient: rfc822;a@inbox.test\r\nAction: failed\r\nStatus: 5.1.1\r\n';
const filled = (head: string, unit: string, tail = ''): string =>
  head + unit.repeat(Math.ceil((REPORT_BYTES_MAX - head.length) / unit.length)).slice(0, REPORT_BYTES_MAX) + tail;
const nested = Array.from(
  { length: 500 },
  (_, at) => `--n${String(at)}\r\nContent-Type: multipart/mixed; boundary="n${String(at + 1)}"\r\n\r\n`,
).join('');

const worst: Readonly<Record<string, string>> = {
  'one line': filled('', 'a'),
  'empty lines': filled(HEAD, '\r\n'),
  boundaries: filled(HEAD, '--b\r\n'),
  'half boundaries': filled(HEAD, '--'),
  'header without an end': filled('Subject: ', '=?utf-8?Q?=41?= '),
  'folded header': filled('To: a', '\r\n b'),
  addresses: filled('To: ', '<a@b>,'),
  'open quotes': filled('To: ', '"'),
  'open comments': filled('From: ', '('),
  groups: filled('To: ', 'a:'),
  parameters: filled('Content-Type: multipart/report', '; a*0*=%41'),
  'content types': filled('Content-Type: ', 'a/'),
  'nested parts': filled(`Content-Type: multipart/report; boundary="n0"\r\n\r\n${nested}`, 'x'),
  'nested messages': filled(HEAD, '--b\r\nContent-Type: message/rfc822\r\n\r\n'),
  'groups of fields': filled(status(''), `\r\n${GROUP}`),
  'folded fields': filled(status('Reporting-MTA: dns; a\r\n\r\nDiagnostic-Code: smtp; 550'), '\r\n 5'),
  'spaces in a field': filled(status('Reporting-MTA: dns; a\r\n\r\nDiagnostic-Code: smtp; 550 '), ' \t'),
  'one long diagnostic': filled(status(`Reporting-MTA: dns; a\r\n\r\n${GROUP}Diagnostic-Code: smtp; 550 `), 'user '),
  recipients: filled(status('Reporting-MTA: dns; a\r\n\r\nAction: failed\r\n'), 'Final-Recipient: rfc822;a@b\r\n'),
  base64: filled(
    `${HEAD}--b\r\nContent-Type: message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
    'QUFB',
  ),
  'quoted-printable': filled('Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n', '='),
  html: filled('Content-Type: text/html\r\n\r\n', '<a href="'),
  'open tags': filled('Content-Type: text/html\r\n\r\n', '<'),
  entities: filled('Content-Type: text/html\r\n\r\n', '&amp;'),
  'html comments': filled('Content-Type: text/html\r\n\r\n', '<!--'),
  'style elements': filled('Content-Type: text/html\r\n\r\n', '<style'),
  'qmail recipients': filled('\r\nHi. This is the qmail-send program\r\n', '<a@b>:\r\n'),
  'qmail words': filled('\r\nHi. This is the qmail-send program\r\n<a@b>:\r\n', ': 550 said: '),
  'flowed text': filled('Content-Type: text/plain; format=flowed\r\n\r\n', '> \r\n'),
  zeros: filled('', '\0'),
};

/** Twice the bytes may take twice the time; the least of some runs, with room for a busy machine. */
test.each(Object.entries(worst))('reads 64 KB of %s in linear time', async (_what, text) => {
  const bytes = Buffer.from(text).subarray(0, REPORT_BYTES_MAX);
  const timed = async (part: Buffer): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const begin = performance.now();
      for (const report of await readReport(part)) if (report.kind === 'failed') lateBounceOf(report, AT);
      times.push(performance.now() - begin);
    }
    return Math.min(...times);
  };
  const whole = await timed(bytes);
  const quarter = await timed(bytes.subarray(0, bytes.length / 4));
  expect(whole).toBeLessThan(Math.max(8 * quarter, 300));
});
