// The contents of attachments are most of a body. As part of its text they would be in memory several times, and be read by each step of its
// parsing. So the long ones are cut out of its bytes before; a name that no caller can guess stands in the text for each.
import { randomUUID } from 'node:crypto';

declare module 'fastify' {
  interface FastifyRequest {
    /** By the names that its body has for them. */
    heldContents: ReadonlyMap<string, Buffer> | null;
  }
  interface FastifyContextConfig {
    /** Set where the body may have attachments. */
    attachments?: true;
  }
}

/** A shorter one costs less than what is done to cut it out. */
const HELD_BYTES_MIN = 64 * 1024;
/** With a control character, so that it is refused where something else than an attachment has a `content`, which then is far too long. */
const NAME = `\x01${randomUUID()}/`;
const KEY = Buffer.from('"content"');
const [QUOTE, COLON, SLASH, BACKSLASH] = [0x22, 0x3a, 0x2f, 0x5c];
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

/** @param json its bytes, which are changed @returns what is left of it, and what was cut out */
export function holdContents(json: Buffer): { readonly json: Buffer; readonly held: ReadonlyMap<string, Buffer> } {
  const held = new Map<string, Buffer>();
  const kept: Buffer[] = [];
  let keptUntil = 0;
  for (let key = json.indexOf(KEY); key !== -1; key = json.indexOf(KEY, key + KEY.length)) {
    const colon = afterBlanks(json, key + KEY.length);
    const quote = afterBlanks(json, colon + 1);
    // In a JSON text, these can only be a key and the beginning of its value: a quotation mark in a string has a backslash before it.
    if (json[colon] !== COLON || json[quote] !== QUOTE) continue;
    const end = json.indexOf(QUOTE, quote + 1);
    if (end - quote <= HELD_BYTES_MIN) continue;
    const content = withoutEscapedSlashes(json.subarray(quote + 1, end));
    if (content === undefined) continue;
    const name = `${NAME}${String(held.size)}`;
    held.set(name, content);
    kept.push(json.subarray(keptUntil, quote), Buffer.from(JSON.stringify(name)));
    keptUntil = end + 1;
    key = end;
  }
  return held.size === 0 ? { json, held } : { json: Buffer.concat([...kept, json.subarray(keptUntil)]), held };
}

function afterBlanks(json: Buffer, from: number): number {
  let at = from;
  while (BLANKS.includes(json[at])) at += 1;
  return at;
}

/** Some encoders write `\/`. In its own place. Undefined if it has other escapes. */
function withoutEscapedSlashes(content: Buffer): Buffer | undefined {
  const escapes: number[] = [];
  for (let at = content.indexOf(BACKSLASH); at !== -1; at = content.indexOf(BACKSLASH, at + 1)) {
    if (content[at + 1] !== SLASH) return undefined;
    escapes.push(at);
  }
  let length = escapes[0] ?? content.length;
  for (const [index, at] of escapes.entries()) {
    const next = escapes[index + 1] ?? content.length;
    content.copyWithin(length, at + 1, next);
    length += next - at - 1;
  }
  return content.subarray(0, length);
}
