import { isUtf8 } from 'node:buffer';

/** RFC 5321 section 4.5.3.1.5 allows 512 octets; real servers exceed that with links to help pages. */
const LINE_BYTES_MAX = 8 * 1024;
const REPLY_BYTES_MAX = 64 * 1024;
/** Only the code counts (RFC 5321 section 4.2): `250Ok` accepts the message. */
const REPLY_LINE = /^[2-5]\d\d(?!\d)/;

/** Splits a byte stream into replies, in linear time for any chunk sizes. */
export class SmtpReplyReader {
  private rest = '';
  private lines: string[] = [];
  private bytes = 0;

  /**
   * @param onReply called with all lines of each complete reply, joined by line feeds
   * @returns why this is not SMTP; undefined if it is
   */
  read(chunk: Buffer, onReply: (reply: string) => void): string | undefined {
    const [first = '', ...more] = chunk.toString('latin1').split('\n');
    this.rest += first;
    for (const next of more) {
      const line = this.rest.endsWith('\r') ? this.rest.slice(0, -1) : this.rest;
      this.rest = next;
      // With its line end: empty lines are left out, but count.
      this.bytes += line.length + 2;
      if (this.bytes > REPLY_BYTES_MAX) return `The server sent a reply longer than ${String(REPLY_BYTES_MAX)} bytes.`;
      if (line === '') continue;
      if (!REPLY_LINE.test(line)) return 'The server does not speak SMTP.';
      this.lines.push(line);
      if (line[3] !== '-') onReply(this.take());
    }
    return this.rest.length > LINE_BYTES_MAX
      ? `The server sent a line longer than ${String(LINE_BYTES_MAX)} bytes.`
      : undefined;
  }

  /** @returns the reply that the end of the connection truncated after its code, which is enough */
  end(): string | undefined {
    if (REPLY_LINE.test(this.rest)) this.lines.push(this.rest);
    this.rest = '';
    return this.lines.length === 0 ? undefined : this.take();
  }

  /** False while part of a reply has arrived. */
  get isBetweenReplies(): boolean {
    return this.rest === '' && this.lines.length === 0;
  }

  private take(): string {
    const reply = this.lines.map(decoded).join('\n');
    this.lines = [];
    this.bytes = 0;
    return reply;
  }
}

/** RFC 5321 defines no charset beyond ASCII for replies; most servers send UTF-8. */
function decoded(line: string): string {
  const bytes = Buffer.from(line, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : line;
}
