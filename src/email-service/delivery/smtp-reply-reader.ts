import { isUtf8 } from 'node:buffer';

/** RFC 5321 section 4.5.3.1.5 allows 512 octets; real servers exceed that with links to their help pages. */
const LINE_BYTES_MAX = 8 * 1024;
const REPLY_BYTES_MAX = 64 * 1024;
/** The code decides, whatever follows it (RFC 5321 section 4.2): `250Ok` has taken the message. */
const REPLY_LINE = /^[2-5]\d\d(?!\d)/;

/** Splits what a server sends into replies. Its time is linear in what it is given, however that is cut into pieces. */
export class SmtpReplyReader {
  private rest = '';
  private lines: string[] = [];
  private bytes = 0;

  /**
   * @param onReply called with all lines of each complete reply, joined by line feeds
   * @returns why this is not SMTP; undefined when it is
   */
  read(chunk: Buffer, onReply: (reply: string) => void): string | undefined {
    const [first = '', ...more] = chunk.toString('latin1').split('\n');
    this.rest += first;
    for (const next of more) {
      const line = this.rest.endsWith('\r') ? this.rest.slice(0, -1) : this.rest;
      this.rest = next;
      if (line === '') continue;
      if (!REPLY_LINE.test(line)) return 'The server does not speak SMTP.';
      this.bytes += line.length;
      if (this.bytes > REPLY_BYTES_MAX) return 'The server sent a reply without an end.';
      this.lines.push(line);
      if (line[3] !== '-') onReply(this.take());
    }
    return this.rest.length > LINE_BYTES_MAX ? 'The server sent a line without an end.' : undefined;
  }

  /** @returns the reply that the end of the connection cut off after its code, which says what matters */
  end(): string | undefined {
    if (REPLY_LINE.test(this.rest)) this.lines.push(this.rest);
    this.rest = '';
    return this.lines.length === 0 ? undefined : this.take();
  }

  /** Whether bytes arrived that no reply has used yet. */
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

/** RFC 5321 names no charset for replies beyond ASCII; most servers mean UTF-8. */
function decoded(line: string): string {
  const bytes = Buffer.from(line, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : line;
}
