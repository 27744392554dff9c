/** A server's reply to an SMTP command, RFC 5321 section 4.2. */
export interface SmtpReply {
  readonly replyCode: number;
  /** RFC 3463, such as `5.1.1`; undefined if the reply has none. */
  readonly enhancedCode: string | undefined;
  /** All lines, without codes, joined by spaces. */
  readonly text: string;
}

/** A hostile server may send much more than a person reads. */
const TEXT_LENGTH_MAX = 1_000;

/** @returns undefined if the text is not a reply */
export function parseSmtpReply(response: string): SmtpReply | undefined {
  const lines = response.split(/\r?\n/).filter((line) => line !== '');
  // If the lines have different codes, the last one decides (RFC 5321 section 4.2.1).
  const replyCode = Number(/^[2-5]\d\d(?!\d)/.exec(lines.at(-1) ?? '')?.[0]);
  if (Number.isNaN(replyCode)) return undefined;
  const texts = lines.map((line) => line.replace(/^\d{3}[ -]?/, ''));
  // At the start (RFC 2034); qmail writes `(#5.1.1)` at the end, Cisco's gateways `#5.1.1` at the start.
  const enhancedCode =
    /^#?([245]\.\d{1,3}\.\d{1,3})(?:[ :]|$)/.exec(texts[0] ?? '')?.[1] ??
    /\(#([245]\.\d{1,3}\.\d{1,3})(?: - chkuser)?\)$/.exec((texts.at(-1) ?? '').trimEnd())?.[1];
  const text = texts
    .map((line) =>
      enhancedCode !== undefined && line.startsWith(enhancedCode) ? line.slice(enhancedCode.length) : line,
    )
    .map(withoutControlCharacters)
    .join(' ')
    .trim();
  return { replyCode, enhancedCode, text: text.slice(0, TEXT_LENGTH_MAX) };
}

/** Logs, the API and pages show the text, so it must not contain terminal escapes. */
const withoutControlCharacters = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
