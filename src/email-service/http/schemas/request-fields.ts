import { Type } from 'typebox';
import { LINES, LINES_MEANING, ONE_LINE, ONE_LINE_MEANING } from '../../../lib/mail-rules/text-faults.ts';
import { type IdPrefix, idPrefixes } from '../../resources/resource-ids.ts';

/** A cursor carries the prefix of its list, so that a cursor of another list is refused. */
const cursorPattern = (prefix: IdPrefix): string => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
/** RFC 2045 section 5.1. */
export const CONTENT_TYPE = `^${TOKEN}/${TOKEN}(; ?${TOKEN}=(${TOKEN}|"[ !#-\\[\\]-~]*"))*$`;
/** Those of RFC 5322 section 3.6.4 that need no escape in a `cid:` URL. */
export const CONTENT_ID = "^[A-Za-z0-9.!$'*+=_~@-]+$";

/** By pattern: what an error says that the text must be. */
export const patternMeanings: Readonly<Record<string, string>> = {
  [ONE_LINE]: ONE_LINE_MEANING,
  [LINES]: LINES_MEANING,
  [CONTENT_TYPE]: 'a type and subtype, with parameters if any, such as application/pdf',
  [CONTENT_ID]: "letters, digits and . ! $ ' * + = _ ~ @ -, without angle brackets",
  ...Object.fromEntries(idPrefixes.map((prefix) => [cursorPattern(prefix), 'a next_cursor of this list'])),
};

interface TextLimits {
  readonly minLength?: number;
  /** Characters, not bytes. */
  readonly maxLength: number;
  readonly description?: string;
}

export const oneLine = (limits: TextLimits) => Type.String({ pattern: ONE_LINE, ...limits });

export const lines = (limits: TextLimits) => Type.String({ pattern: LINES, ...limits });

/** An object that maps the caller's names to one-line texts. */
export const texts = (limits: TextsLimits) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    description: limits.description,
    maxProperties: limits.namesMax,
    propertyNames: oneLine({ minLength: 1, maxLength: limits.nameLengthMax }),
    additionalProperties: oneLine({ maxLength: limits.valueLengthMax }),
  });

export const tag = (description?: string) =>
  oneLine({ minLength: 1, maxLength: 64, ...(description === undefined ? {} : { description }) });

export const cursorField = (prefix: IdPrefix, description: string) =>
  Type.String({ pattern: cursorPattern(prefix), description });

interface TextsLimits {
  readonly description: string;
  readonly namesMax: number;
  readonly nameLengthMax: number;
  readonly valueLengthMax: number;
}

export const IdParams = Type.Object({ id: Type.String() });
