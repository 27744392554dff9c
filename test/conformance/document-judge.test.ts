// With the official documents in a folder, each change of a field in a request or an answer is found.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../../src/conformance/cases/all-cases.ts';
import { runCase } from '../../src/conformance/conformance-case.ts';
import { documentJudge, type DocumentJudge } from '../../src/conformance/documents/document-judge.ts';
import { judgeIn } from '../../src/conformance/documents/official-documents.ts';
import { readBotocore } from '../../src/conformance/documents/botocore.ts';
import { readOpenApi } from '../../src/conformance/documents/openapi.ts';
import type { FarEnd } from '../../src/conformance/far-end.ts';
import type { RelayedExchange } from '../../src/dev/relay.ts';
import { openFake } from '../../src/conformance/targets/fake-target.ts';

const folder = process.env['SENDOFF_PROVIDER_DOCUMENTS'];

type Content = Record<string, unknown>;
type Mutation = readonly [string, RegExp, 'request' | 'answer', (content: Content) => unknown];

const renamed = (from: string, to: string) => (content: Content) => {
  const { [from]: value, ...rest } = content;
  return { ...rest, [to]: value };
};
const inFirst = (list: string, change: (item: Content) => unknown) => (content: Content) => {
  const [first, ...others] = content[list] as Content[];
  return { ...content, [list]: [change(first ?? {}), ...others] };
};

function mutated(
  { method, path, requestHeaders, requestBody, answer }: RelayedExchange,
  [, , part, change]: Mutation,
): RelayedExchange {
  const of = (body: string): string => JSON.stringify(change(JSON.parse(body) as Content));
  return part === 'request'
    ? { method, path, requestHeaders, requestBody: of(requestBody), ...(answer && { answer }) }
    : { method, path, requestHeaders, requestBody, answer: { ...answer!, body: of(answer!.body) } };
}

const resendMutations: readonly Mutation[] = [
  ['the name of a domain has another field', /^POST \/domains$/, 'request', renamed('name', 'domain')],
  ['the name of a domain is a number', /^POST \/domains$/, 'request', (body) => ({ ...body, name: 7 })],
  ['a domain has a field that is unknown', /^POST \/domains$/, 'request', (body) => ({ ...body, mark: 'x' })],
  ['a region that is unknown', /^POST \/domains$/, 'request', (body) => ({ ...body, region: 'moon' })],
  ['the permission of a key is unknown', /^POST \/api-keys$/, 'request', (body) => ({ ...body, permission: 'send' })],
  ['the domain of a key has another field', /^POST \/api-keys$/, 'request', renamed('domain_id', 'domainId')],
  ['a key has no name', /^POST \/api-keys$/, 'request', ({ name: _, ...body }) => body],
  ['the text of an email has another field', /^POST \/emails$/, 'request', renamed('text', 'body')],
  ['the tags of an email are an object', /^POST \/emails$/, 'request', (body) => ({ ...body, tags: { sendoff: 'x' } })],
  ['an email has no sender', /^POST \/emails$/, 'request', ({ from: _, ...body }) => body],
  ['a new domain has its id in another field', /^POST \/domains$/, 'answer', renamed('id', 'domain_id')],
  ['the status of a new domain is unknown', /^POST \/domains$/, 'answer', (body) => ({ ...body, status: 'new' })],
  ['the records are an object', /^POST \/domains$/, 'answer', (body) => ({ ...body, records: {} })],
  [
    'the type of a record is unknown',
    /^POST \/domains$/,
    'answer',
    inFirst('records', (one) => ({ ...one, type: 'SPF' })),
  ],
  [
    'the value of a record has another field',
    /^POST \/domains$/,
    'answer',
    inFirst('records', renamed('value', 'data')),
  ],
  [
    'the priority of a record is text',
    /^POST \/domains$/,
    'answer',
    inFirst('records', (one) => ({ ...one, priority: '10' })),
  ],
  ['a page has its items in another field', /^GET \/domains\?/, 'answer', renamed('data', 'items')],
  [
    'a page says as text whether there is more',
    /^GET \/domains\?/,
    'answer',
    (body) => ({ ...body, has_more: 'false' }),
  ],
  ['a key has its token in another field', /^POST \/api-keys$/, 'answer', renamed('token', 'api_key')],
  ['the state of an email has another field', /^GET \/emails\//, 'answer', renamed('last_event', 'status')],
  [
    'a refusal has its code in another field',
    /^POST \/emails$/,
    'answer',
    () => ({ statusCode: 403, name: 'new_word', message: 'm' }),
  ],
];

const PATH = '\\/v2\\/email';
const at = (request: string): RegExp => new RegExp(request.replace(' ', ` ${PATH}`));
const set = (field: string, value: unknown) => (content: Content) => ({ ...content, [field]: value });
const inside = (field: string, change: (item: Content) => unknown) => (content: Content) => ({
  ...content,
  [field]: change(content[field] as Content),
});

const sesMutations: readonly Mutation[] = [
  ['a tenant has its name in another field', at('POST /tenants$'), 'request', renamed('TenantName', 'Name')],
  ['the tags of a tenant are an object', at('POST /tenants$'), 'request', set('Tags', { sendoff: 'x' })],
  ['a tag has no value', at('POST /tenants$'), 'request', inFirst('Tags', ({ Key }) => ({ Key }))],
  [
    'an event type is unknown',
    at('POST /configuration-sets/[^/]+/event-destinations$'),
    'request',
    inside('EventDestination', set('MatchingEventTypes', ['OPENED'])),
  ],
  [
    'a topic has its ARN in another field',
    at('POST /configuration-sets/[^/]+/event-destinations$'),
    'request',
    inside('EventDestination', inside('SnsDestination', renamed('TopicArn', 'Arn'))),
  ],
  ['an association has no resource', at('POST /tenants/resources$'), 'request', ({ ResourceArn: _, ...body }) => body],
  [
    'an identity has its name in another field',
    at('POST /identities$'),
    'request',
    renamed('EmailIdentity', 'Identity'),
  ],
  [
    'what a missing MX record means is unknown',
    at('PUT /identities/[^/]+/mail-from$'),
    'request',
    set('BehaviorOnMxFailure', 'SEND'),
  ],
  ['an email has no content', at('POST /outbound-emails$'), 'request', ({ Content: _, ...body }) => body],
  [
    'a recipient is text',
    at('POST /outbound-emails$'),
    'request',
    inside('Destination', set('ToAddresses', 'ada@inbox.test')),
  ],
  [
    'a tag of an email has another field',
    at('POST /outbound-emails$'),
    'request',
    inFirst('EmailTags', renamed('Name', 'Key')),
  ],
  ['a tenant has its ARN in another field', at('POST /tenants$'), 'answer', renamed('TenantArn', 'Arn')],
  ['the state of a tenant is unknown', at('POST /tenants$'), 'answer', set('SendingStatus', 'ON')],
  ['a found tenant is in another field', at('POST /tenants/get$'), 'answer', renamed('Tenant', 'tenant')],
  ['the DKIM state is unknown', at('GET /identities/'), 'answer', inside('DkimAttributes', set('Status', 'DONE'))],
  ['the DKIM tokens are text', at('GET /identities/'), 'answer', inside('DkimAttributes', set('Tokens', 'a b c'))],
  [
    'the zone of the tokens has another field',
    at('GET /identities/'),
    'answer',
    inside('DkimAttributes', renamed('SigningHostedZone', 'HostedZone')),
  ],
  [
    'the state of the MAIL FROM domain is unknown',
    at('GET /identities/'),
    'answer',
    inside('MailFromAttributes', set('MailFromDomainStatus', 'DONE')),
  ],
  ['whether it may send is text', at('GET /identities/'), 'answer', set('VerifiedForSendingStatus', 'true')],
  ['the id of an email has another field', at('POST /outbound-emails$'), 'answer', renamed('MessageId', 'MessageID')],
  ['an identity has a field that is unknown', at('POST /identities$'), 'answer', set('Records', [])],
];

// The documents are not in the repository: without their folder there is nothing to run.
const judged =
  folder === undefined
    ? []
    : ([
        ['resend', resendMutations],
        ['ses', sesMutations],
      ] as const);
describe.each(judged)('%s', (provider, mutations) => {
  const exchanges: RelayedExchange[] = [];
  let farEnd: FarEnd;
  let judge: DocumentJudge;
  beforeAll(async () => {
    judge = judgeIn(folder ?? '', provider)!;
    farEnd = await openFake(provider);
    for (const one of allCases.filter(({ group }) => group === 'whole'))
      await runCase(one, { farEnd, run: 'd', onExchanges: (seen) => void exchanges.push(...seen) });
  });
  afterAll(() => farEnd.close());

  test('the exchanges of an onboarding are as the document says', () => {
    expect(exchanges.length).toBeGreaterThan(20);
    expect(new Set(exchanges.flatMap((one) => judge.faultsOf(one)))).toEqual(new Set());
  });

  test.each(mutations)('%s', (...mutation) => {
    const found = exchanges.find(
      ({ method, path, answer }) =>
        mutation[1].test(`${method} ${path}`) && (mutation[2] === 'request' || (answer?.status ?? 500) < 300),
    );
    expect(`${found?.method} ${found?.path}`).toMatch(mutation[1]);
    const changed = mutated(found!, mutation);
    const refused = mutation[0].startsWith('a refusal')
      ? { ...changed, answer: { ...changed.answer!, status: 403 } }
      : changed;
    expect(judge.faultsOf(refused)).not.toEqual([]);
  });
});

test('an operation, a parameter and a body that the document does not have', () => {
  const judge = documentJudge(
    readOpenApi(
      JSON.stringify({
        info: { title: 'Example', version: '1' },
        paths: {
          '/things': { get: { parameters: [{ in: 'query', name: 'limit' }], responses: { '200': {} } } },
          '/things/{id}': {
            get: {
              responses: {
                '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
              },
            },
          },
        },
        components: {
          schemas: {
            Thing: { allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { size: { type: 'integer' } } }] },
            Base: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
          },
        },
      }),
    ),
    { codeField: 'code', shape: { code: 'string' }, rows: [['any', 404, 'gone', 'a page']] },
  );
  const faults = (path: string, status: number, body: string, requestBody = ''): string[] =>
    judge.faultsOf({ method: 'GET', path, requestHeaders: {}, requestBody, answer: { status, body } });
  expect(faults('/other', 200, '{}')).toEqual(['GET /other is not in the document']);
  expect(faults('/things?limit=1', 200, '')).toEqual([]);
  expect(faults('/things?page=1', 200, '')).toEqual(['the request GET /things: ?page is not in the document']);
  expect(faults('/things', 200, '', '{}')).toEqual(['the request GET /things: it has a body']);
  expect(faults('/things/1', 200, '{"id":"1","size":2}')).toEqual([]);
  expect(faults('/things/1', 200, '{"size":2}')).not.toEqual([]);
  expect(faults('/things/1', 200, '{"id":"1","weight":2}')).toEqual([
    'the answer to GET /things/{id}: /weight is not in the document',
  ]);
  expect(faults('/things/1', 404, '{"code":"gone"}')).toEqual([]);
  expect(faults('/things/1', 404, '{"code":"gone","why":"x"}')).toEqual([
    'the answer to GET /things/{id}: /why of 404 gone is string',
  ]);
  expect(faults('/things/1', 500, '{"code":"x"}')).toEqual([
    'the answer to GET /things/{id}: 500 x is neither in the document nor in the overlay',
  ]);
});

test('shapes of an AWS service', () => {
  const text = JSON.stringify({
    metadata: { serviceId: 'Example', apiVersion: '2026-01-01' },
    operations: {
      PutThing: {
        http: { method: 'PUT', requestUri: '/things/{Id}' },
        input: { shape: 'Put' },
        output: { shape: 'Empty' },
      },
    },
    shapes: {
      Put: {
        type: 'structure',
        required: ['Id', 'Tags'],
        members: { Id: { shape: 'Text', location: 'uri' }, Tags: { shape: 'Tags' }, Kind: { shape: 'Kind' } },
      },
      Empty: { type: 'structure', members: {} },
      Tags: { type: 'list', member: { shape: 'Text' }, max: 2 },
      Kind: { type: 'string', enum: ['A', 'B'] },
      Text: { type: 'string', min: 1 },
    },
  });
  const judge = documentJudge(readBotocore(text), { codeField: '__type', shape: {}, rows: [] });
  const faults = (body: object): string[] =>
    judge.faultsOf({
      method: 'PUT',
      path: '/things/1',
      requestHeaders: {},
      requestBody: JSON.stringify(body),
      answer: { status: 200, body: '{}' },
    });
  expect(faults({ Tags: ['a'], Kind: 'A' })).toEqual([]);
  for (const body of [
    {},
    { Tags: ['a', 'b', 'c'] },
    { Tags: [''] },
    { Tags: ['a'], Kind: 'C' },
    { Tags: ['a'], Id: '1' },
  ])
    expect(faults(body), JSON.stringify(body)).not.toEqual([]);
});
