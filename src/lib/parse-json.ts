import { jsonFault } from './json-fault.ts';

/** Undefined when `text` is not JSON, which no JSON text results in, or nests too deep or has too many fields. */
export function parseJson(text: string): unknown {
  if (jsonFault(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
