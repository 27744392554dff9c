// The provider's official document judges the exchanges of a run: a request that it does not know, or an answer that it does not allow. For
// answers that the document leaves out there are our own words (overlays.ts).
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJson } from '../../lib/parse-json.ts';
import type { RelayedExchange, RelayReply } from '../../dev/relay.ts';

export interface DocumentJudge {
  /** `Resend 1.5.0` */
  readonly name: string;
  /** A sentence for each fault of an exchange. */
  faultsOf(exchange: RelayedExchange): string[];
}

/** An answer that the document leaves out. */
type OverlayRow = readonly [
  /** `POST /domains`; `any`. */
  operation: string,
  status: number,
  code: string,
  /** The page or the thread of the provider that has it. */
  source: string,
];

export interface Overlay {
  /** The field of an error answer that has its code, as text or a number. */
  readonly codeField: string;
  /** In place of the field, where a header has it. */
  readonly codeHeader?: string;
  /** The fields of such an answer, all required, and their types. */
  readonly shape: Readonly<Record<string, 'string' | 'number'>>;
  readonly rows: readonly OverlayRow[];
}

/** An operation of a document: JSON Schemas of 2020-12, undefined where there is no body. */
export interface Operation {
  readonly method: string;
  /** `/domains/{domain_id}` */
  readonly path: string;
  /** Undefined if the document does not list them. */
  readonly query?: readonly string[] | undefined;
  readonly request?: object | undefined;
  readonly answers: ReadonlyMap<number, object | undefined>;
  /** The HTTP status of each error by its code; absent if the document describes none. */
  readonly errors?: ReadonlyMap<string, number>;
}

export interface ReadDocument {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** The definitions that `#/…` in the schemas refers to. */
  readonly definitions: object;
}

export function documentJudge({ name, operations, definitions }: ReadDocument, overlay: Overlay): DocumentJudge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...definitions });
  // Fewer placeholders first: `/domains/{id}` also fits `/domains/verify`.
  const sorted = operations.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  const faults = (schema: object, content: unknown): string[] => {
    const validate = ajv.compile(schema);
    if (validate(content)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
      const { unevaluatedProperty: unknown } = params as { unevaluatedProperty?: string };
      return unknown === undefined
        ? `${instancePath || 'it'} ${message}`
        : `${instancePath}/${unknown} is not in the document`;
    });
  };

  function faultsOfAnswer(operation: Operation, answer: RelayReply): string[] {
    const { status, body } = answer;
    const content = parseJson(body);
    if (operation.answers.has(status)) {
      const schema = operation.answers.get(status);
      return schema === undefined ? [] : faults(schema, content);
    }
    const code = codeOf(answer, overlay);
    if (code !== undefined && operation.errors?.get(code) === status) return [];
    return faultsOfError(`${operation.method} ${operation.path}`, answer, overlay);
  }

  return {
    name,
    faultsOf({ method, path, requestBody, answer }) {
      const { pathname, searchParams } = new URL(path, 'http://provider');
      const operation = sorted.find((one) => one.method === method && fits(one.path, pathname));
      if (operation === undefined) return [`${method} ${pathname} is not in the document`];
      const { request, query } = operation;
      const at = `${method} ${operation.path}`;
      const asked = [...searchParams.keys()].filter((parameter) => query?.includes(parameter) === false);
      const content = requestBody === '' ? undefined : parseJson(requestBody);
      const hasBody = content === undefined ? [] : ['it has a body'];
      return [
        ...asked.map((parameter) => `the request ${at}: ?${parameter} is not in the document`),
        ...(request === undefined ? hasBody : faults(request, content)).map((fault) => `the request ${at}: ${fault}`),
        ...(answer === undefined ? [] : faultsOfAnswer(operation, answer)).map(
          (fault) => `the answer to ${at}: ${fault}`,
        ),
      ];
    },
  };
}

function codeOf({ body, headers = {} }: RelayReply, { codeField, codeHeader }: Overlay): string | undefined {
  const code = codeHeader === undefined ? fieldsOf(body)[codeField] : headers[codeHeader];
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

const fieldsOf = (body: string): Record<string, unknown> => {
  const content = parseJson(body);
  return (typeof content === 'object' && content !== null ? content : {}) as Record<string, unknown>;
};

/** What an overlay does not have. @param operation `POST /domains`, as in its rows */
export function faultsOfError(operation: string, answer: RelayReply, overlay: Overlay): string[] {
  const { status, body } = answer;
  const [fields, code] = [fieldsOf(body), codeOf(answer, overlay)];
  const isKnown = overlay.rows.some(
    ([of, ofStatus, ofCode]) => (of === 'any' || of === operation) && ofStatus === status && ofCode === code,
  );
  if (!isKnown) return [`${status} ${String(code)} is neither in the document nor in the overlay`];
  const names = new Set([...Object.keys(overlay.shape), ...Object.keys(fields)]);
  return [...names]
    .filter((field) => typeof fields[field] !== overlay.shape[field])
    .map((field) => `/${field} of ${status} ${String(code)} is ${typeof fields[field]}`);
}

function fits(template: string, pathname: string): boolean {
  const [parts, found] = [template.split('/'), pathname.split('/')];
  return parts.length === found.length && parts.every((part, at) => /^\{.*\}$/.test(part) || part === found[at]);
}

const PARTS = ['allOf', 'oneOf', 'anyOf'];
const OF_OBJECTS = ['properties', '$ref', ...PARTS];

/**
 * Refuses fields that the schema of an object does not name, unless it allows others. A part of a whole, and a definition, which may be one,
 * stays open: the place that uses it is closed.
 */
export function closed(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => closed(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (PARTS.includes(key) && Array.isArray(value)) return [key, value.map((part) => closed(part, true))];
      const isMap = key === 'schemas' && typeof value === 'object' && value !== null;
      return [key, isMap ? mapOf(value as object, (one) => closed(one, true)) : closed(value)];
    }),
  );
  const isOfObjects = OF_OBJECTS.some((key) => key in copy) && !('additionalProperties' in copy);
  return isOfObjects && !isPart ? { ...copy, unevaluatedProperties: false } : copy;
}

const mapOf = (values: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
