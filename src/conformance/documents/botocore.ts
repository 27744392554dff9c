// The shapes of an AWS service, as botocore has them (service-2.json), as JSON Schema: members, required ones, enums, ranges.
import type { Operation, ReadDocument } from './document-judge.ts';

interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, Member>>;
  readonly required?: readonly string[];
  readonly member?: { readonly shape: string };
  readonly value?: { readonly shape: string };
  readonly enum?: readonly string[];
  readonly max?: number;
  readonly min?: number;
  readonly pattern?: string;
  readonly error?: { readonly httpStatusCode: number };
}
interface Member {
  readonly shape: string;
  readonly location?: string;
  readonly locationName?: string;
}
interface Service {
  readonly metadata: { readonly serviceId: string; readonly apiVersion: string };
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly http: { readonly method: string; readonly requestUri: string; readonly responseCode?: number };
        readonly input?: { readonly shape: string };
        readonly output?: { readonly shape: string };
        readonly errors?: readonly { readonly shape: string }[];
      }
    >
  >;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const refTo = (shape: string): object => ({ $ref: `document#/shapes/${shape}` });

export function readBotocore(text: string): ReadDocument {
  const { metadata, operations, shapes } = JSON.parse(text) as Service;
  const membersIn = (name: string | undefined, location?: string): [string, Member][] =>
    Object.entries((name === undefined ? undefined : shapes[name])?.members ?? {}).filter(
      ([, member]) => member.location === location,
    );
  const bodyOf = (name: string | undefined): object | undefined =>
    membersIn(name).length === 0 ? undefined : refTo(name ?? '');
  return {
    name: `${metadata.serviceId} ${metadata.apiVersion}`,
    operations: Object.values(operations).map(({ http, input, output, errors = [] }): Operation => ({
      method: http.method,
      path: http.requestUri,
      query: membersIn(input?.shape, 'querystring').map(([name, { locationName = name }]) => locationName),
      request: bodyOf(input?.shape),
      // An output without members is an empty object.
      answers: new Map([[http.responseCode ?? 200, bodyOf(output?.shape)]]),
      errors: new Map(errors.map(({ shape }) => [shape, shapes[shape]?.error?.httpStatusCode ?? 0])),
    })),
    definitions: { shapes: Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, schemaOf(shape)])) },
  };
}

function schemaOf({ type, members = {}, required = [], member, value, ...limits }: Shape): object {
  switch (type) {
    case 'structure': {
      // Members elsewhere are in the path, the query or a header.
      const inBody = Object.entries(members).filter(([, { location }]) => location === undefined);
      const names = inBody.map(([name]) => name);
      return {
        type: 'object',
        properties: Object.fromEntries(inBody.map(([name, { shape }]) => [name, refTo(shape)])),
        required: required.filter((name) => names.includes(name)),
        unevaluatedProperties: false,
      };
    }
    case 'list':
      return { type: 'array', items: refTo(member?.shape ?? ''), ...range(limits, 'minItems', 'maxItems') };
    case 'map':
      return { type: 'object', additionalProperties: refTo(value?.shape ?? '') };
    case 'string':
    case 'blob':
      return {
        ...{
          type: 'string',
          ...(limits.enum && { enum: limits.enum }),
          ...(limits.pattern && { pattern: limits.pattern }),
        },
        ...range(limits, 'minLength', 'maxLength'),
      };
    case 'boolean':
      return { type };
    case 'integer':
    case 'long':
      return { type: 'integer', ...range(limits, 'minimum', 'maximum') };
    default:
      // A timestamp is a number of seconds in JSON.
      return { type: 'number' };
  }
}

const range = ({ min, max }: Pick<Shape, 'min' | 'max'>, least: string, most: string): object => ({
  ...(min !== undefined && { [least]: min }),
  ...(max !== undefined && { [most]: max }),
});
