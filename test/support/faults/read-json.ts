import { isObject, type JsonObject } from '../../../src/lib/json-value.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';

/** Undefined unless it is a JSON object. */
export function readJson(body: string): JsonObject | undefined {
  const content = parseJson(body);
  return isObject(content) ? content : undefined;
}

export const withoutQuery = (path: string): string => path.split('?', 1)[0] ?? '';
