/** Undefined when `text` is not JSON, which no JSON text results in. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
