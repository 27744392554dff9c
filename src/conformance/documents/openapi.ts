import { closed, type Operation, type ReadDocument } from './document-judge.ts';

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: object;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface OperationObject {
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** OpenAPI 3.1, whose schemas are JSON Schema 2020-12. */
export function readOpenApi(text: string): ReadDocument {
  const { info, paths, components } = JSON.parse(text) as Document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => operationOf(method.toUpperCase(), path, operation)),
  );
  return { name: `${info.title} ${info.version}`, operations, definitions: { components: closed(components) } };
}

function operationOf(
  method: string,
  path: string,
  { parameters = [], requestBody, responses = {} }: OperationObject,
): Operation {
  const answers = Object.entries(responses).map(([status, answer]) => [Number(status), schemaOf(answer)] as const);
  // One that is a reference has no name here.
  const isKnown = parameters.every(({ name }) => name !== undefined);
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name = '' }) => name);
  return {
    method,
    path,
    request: schemaOf(requestBody),
    answers: new Map(answers),
    query: isKnown ? query : undefined,
  };
}

function schemaOf(content: Content | undefined): object | undefined {
  const schema = content?.content?.['application/json']?.schema;
  return schema && inDocument(closed(schema) as object);
}

/** References are to the registered definitions. */
const inDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
