/** What a caller sends in POST /emails and POST /senders, and the receiver must read. */
export interface MessageCase {
  readonly name: string;
  readonly subject?: string;
  readonly fromName?: string;
  readonly body?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly AttachedFile[];
}

export interface AttachedFile {
  readonly filename: string;
  readonly content_type: string;
  readonly content_id?: string;
  readonly bytes: Buffer;
}

const file = (filename: string, content_type: string, bytes: string | Buffer = filename): AttachedFile => ({
  ...{ filename, content_type, bytes: Buffer.from(bytes) },
});

const LONG_LINE = 'x'.repeat(5_000);

export const messageCases: readonly MessageCase[] = [
  { name: 'plain' },
  { name: 'subject of 998 characters', subject: 'a'.repeat(998) },
  { name: 'subject of 998 characters with spaces', subject: 'word '.repeat(199) + 'end' },
  { name: 'subject of 900 emoji', subject: '📬'.repeat(450) },
  { name: 'subject of 998 emoji', subject: '📬'.repeat(998) },
  { name: 'subject of one word that does not fit on a line', subject: `${'b'.repeat(80)} c` },
  { name: 'subject that looks like an encoded word', subject: '=?utf-8?B?SGFja2Vk?=' },
  { name: 'subject with an encoded word inside', subject: 'Hello =?utf-8?Q?Hacked?= there' },
  { name: 'subject with an unfinished encoded word', subject: '=?utf-8?Q?Hello' },
  { name: 'subject with an encoded word of no known charset', subject: '=?x-none?Q?a=20b?=' },
  { name: 'subject of one space', subject: ' ' },
  { name: 'subject with spaces around', subject: '  padded  ' },
  { name: 'subject with doubled spaces', subject: 'two  spaces   three' },
  { name: 'subject with a colon and a quote', subject: 'Re: "quoted", <angle> (comment)' },
  { name: 'subject with umlauts', subject: 'Größe, naïve, façade' },
  { name: 'subject in Japanese', subject: '登録が完了しました。'.repeat(20) },
  { name: 'subject in Arabic', subject: 'مرحبا بك في خدمتنا' },
  { name: 'subject with joined emoji', subject: 'Family 👨‍👩‍👧‍👦 and flag 🏳️‍🌈' },
  { name: 'subject with a question mark and equals signs', subject: 'a=?b?=c =? ?= ???' },
  { name: 'sender name plain', fromName: 'Acme Support' },
  { name: 'sender name with a comma', fromName: 'Acme, Inc.' },
  { name: 'sender name with quotes and a backslash', fromName: 'The "Acme" \\ Team' },
  { name: 'sender name with umlauts', fromName: 'Müller & Söhne' },
  { name: 'sender name that looks like an address', fromName: 'evil@bank.test' },
  { name: 'sender name that looks like an encoded word', fromName: '=?utf-8?B?SGFja2Vk?=' },
  { name: 'sender name with an encoded word in quotes', fromName: '"=?utf-8?B?SGFja2Vk?="' },
  { name: 'sender name of 200 letters', fromName: 'x'.repeat(200) },
  { name: 'sender name with doubled spaces', fromName: 'Acme  Support' },
  { name: 'sender name of 100 Japanese characters', fromName: '株式会社'.repeat(25) },
  { name: 'body empty lines at the end', body: 'text\n\n\n\n' },
  { name: 'body with dots at line starts', body: '.\n..\n.hidden\nend\n' },
  { name: 'body with From at a line start', body: 'From here on\nFrom: nobody\n' },
  { name: 'body with one long line', body: `${LONG_LINE}\n` },
  { name: 'body with spaces at line ends', body: 'trailing   \nand tabs\t\t\nend\n' },
  { name: 'body without a final line end', body: 'no newline at the end' },
  { name: 'body with carriage returns', body: 'one\r\ntwo\rthree\n' },
  { name: 'body in Chinese', body: '欢迎使用。\n'.repeat(500) },
  { name: 'body with emoji', body: '👋🏽 hello\n' },
  { name: 'body with equals signs', body: 'a=3D b=\n=20\n' },
  { name: 'body of header lines', body: 'Subject: other\nDKIM-Signature: v=1\n\ntext\n' },
  { name: 'body with a boundary', body: '--_NmP-0001--\n--\n' },
  { name: 'html beside the text', html: '<p>Hello <b>Ada</b> &amp; friends</p>\n' },
  { name: 'html with umlauts and a long line', html: `<p>Größe ${LONG_LINE}</p>\n` },
  { name: 'header of the caller', headers: { 'X-Campaign': 'spring' } },
  { name: 'header with umlauts', headers: { 'X-Note': 'Größe' } },
  { name: 'header that looks like an encoded word', headers: { 'X-Note': '=?utf-8?B?SGFja2Vk?=' } },
  { name: 'header of 900 emoji', headers: { 'X-Note': '📬'.repeat(900) } },
  { name: 'header of words with a long name', headers: { [`X-${'N'.repeat(74)}`]: 'word '.repeat(100).trim() } },
  { name: 'header of 900 characters without a space', headers: { 'X-Long': 'y'.repeat(900) } },
  {
    name: 'one-click unsubscribe',
    headers: {
      'List-Unsubscribe': '<https://acme.test/unsubscribe?id=1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  },
  { name: 'one attachment', attachments: [file('a.pdf', 'application/pdf', Buffer.alloc(100_000, 7))] },
  {
    name: 'attachments and an image of the HTML',
    html: '<img src="cid:logo@acme">',
    attachments: [file('a.txt', 'text/plain'), { ...file('logo.png', 'image/png'), content_id: 'logo@acme' }],
  },
  {
    name: 'attachments with unusual names',
    attachments: [
      ...['Größe.pdf', '請求書.pdf', '📎.pdf', 'a "b" \'c\'.pdf', 'a;b=c,(d).pdf', `${'long '.repeat(40)}.pdf`].map(
        (name) => file(name, 'application/pdf'),
      ),
      file(`${'長'.repeat(80)}.pdf`, 'application/pdf'),
    ],
  },
  { name: 'an empty attachment', attachments: [file('empty.csv', 'text/csv', '')] },
  {
    name: 'attachments of text with parameters',
    attachments: [{ ...file('invite.ics', 'text/calendar; method=REQUEST; charset=utf-8', 'BEGIN:VCALENDAR\r\n') }],
  },
];
