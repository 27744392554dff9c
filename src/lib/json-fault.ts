const [QUOTE, COLON, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [34, 58, 92, 91, 93, 123, 125];

/** More than any message that either program reads. */
const DEPTH_MAX = 100;
/** Far more than any body needs. Half a million take a second to parse, during which no other request is answered. */
const FIELDS_MAX = 50_000;

/** The property of a JSON text that would take long, or run out of stack, when it is parsed, checked or shown; undefined if nothing would. */
export function jsonFault(text: string): string | undefined {
  let depth = 0;
  let fields = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      fields += 1;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COLON) fields += 1;
    else if (code === QUOTE) at = endOfString(text, at + 1);
    if (depth > DEPTH_MAX) return `nests deeper than ${String(DEPTH_MAX)} levels`;
    if (fields > FIELDS_MAX) return `has more than ${FIELDS_MAX.toLocaleString('en')} fields, arrays and objects`;
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
