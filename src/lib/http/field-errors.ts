import type { FieldError } from './problem.ts';

/** The form that a text must have, by pattern: most readers of an error cannot read the pattern itself. */
export type PatternMeanings = Readonly<Record<string, string>>;

/** Enough to fix a request by; a body of a million unknown fields is not answered with a million errors. */
const ERRORS_MAX = 20;
const FOUND_CHARS_MAX = 60;

/** The part of what Ajv reports with `verbose` that is used here. */
interface SchemaViolation {
  readonly keyword: string;
  /** A JSON Pointer. */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

const CODES: Readonly<Record<string, string>> = {
  type: 'wrong_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  pattern: 'malformed',
  format: 'malformed',
  enum: 'unknown_value',
  minimum: 'too_small',
  maximum: 'too_large',
  minItems: 'too_few',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  uniqueItems: 'duplicate',
};

interface Call {
  readonly patternMeanings: PatternMeanings;
  readonly pathParameters: readonly string[];
}

/** The violations of a schema, as the API reports them. */
export function fieldErrors(violations: readonly SchemaViolation[], call: Call): readonly FieldError[] {
  return violations
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .slice(0, ERRORS_MAX)
    .map((violation) => fieldError(violation, call));
}

function fieldError(violation: SchemaViolation, { patternMeanings, pathParameters }: Call): FieldError {
  const { keyword, instancePath, params } = violation;
  if (keyword === 'required') {
    const name = String(params['missingProperty']);
    return { pointer: `${instancePath}/${escaped(name)}`, code: 'required', detail: `${name} is missing.` };
  }
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    const detail = pathParameters.includes(name)
      ? `${name} belongs in the URL path, not in the body.`
      : `${shown(name)} is not a field of this call. Leave it out, or look for a typo.`;
    return { pointer: `${instancePath}/${escaped(name)}`, code: 'unknown_field', detail };
  }
  return {
    pointer: instancePath,
    code: CODES[keyword] ?? 'invalid',
    detail: `${instancePath === '' ? 'The body' : instancePath.slice(1)} ${expectation(violation, patternMeanings)}; found ${shown(violation.data)}.`,
  };
}

function expectation({ keyword, message, params }: SchemaViolation, patternMeanings: PatternMeanings): string {
  const meaning = keyword === 'pattern' ? patternMeanings[String(params['pattern'])] : undefined;
  if (meaning !== undefined) return `must be ${meaning}`;
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `must be one of ${params['allowedValues'].join(', ')}`;
  }
  return message ?? 'is not valid';
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}… (${text.length} characters)` : text;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
