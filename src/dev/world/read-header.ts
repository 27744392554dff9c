/** The first header of this name, unfolded (RFC 5322 section 2.2.3) and decoded; empty without one. */
export function readHeader(message: string, name: string): string {
  const head = message.slice(0, endOfHead(message)).replace(/\r?\n(?=[ \t])/g, '');
  const line = head.split(/\r?\n/).find((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line === undefined ? '' : decodeWords(line.slice(name.length + 1).trim());
}

function endOfHead(message: string): number {
  const blank = /\r?\n\r?\n/.exec(message);
  return blank === null ? message.length : blank.index;
}

/** RFC 2047: `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`; whitespace between two encoded words is ignored. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, encoded: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(encoded, 'base64').toString('utf8') : decodeQ(encoded),
    );
}

function decodeQ(encoded: string): string {
  const bytes = encoded
    .replace(/_/g, ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
