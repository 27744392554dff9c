import { isTooDeep } from './json-depth.ts';

/** Undefined when `text` is not JSON, which no JSON text results in, or nests too deep. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
