import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { isProducerId } from '../../../agents-md/check-input.ts';
import { paceOf } from '../../../agents-md/request-rates.ts';
import { type Producer, readProducer } from '../../../agents-md/producer.ts';
import type { AgentsMd } from '../../../client/agents-md/agents-md.ts';
import { producerViewOf } from '../../../client/agents-md/producer-views.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError, refusal } from '../../../lib/http/problem.ts';
import { queryBoolean, queryNumber } from '../../../lib/http/query-values.ts';
import { queryTime } from '../../../lib/http/query-time.ts';
import type { ProducerFilter, ProducerPosition, ProducerRecord } from '../../../store/agents-md/producers.ts';
import type { Producers } from '../../../store/agents-md/sql-producers.ts';
import { cursorOf, positionOf, toPage } from '../../page.ts';
import { throwFieldErrors } from '../../throw-field-errors.ts';
import { ProducerParams } from '../../schemas/agents-md.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';
import {
  CheckProgressSchema,
  CheckRequest,
  ImportChangesSchema,
  ImportQuery,
  ProducerChange,
  ProducerPageSchema,
  ProducersReportSchema,
  ProducerRequest,
  ProducersQuery,
  ProducerViewSchema,
  ProgressQuery,
  ReportQuery,
  ProducerWithResultsSchema,
} from '../../schemas/producers.ts';
import { readJsonLines } from './read-json-lines.ts';
import { renderReport, reportFormats } from './report.ts';

const LIST = 'producers';
const LIMIT_DEFAULT = 50;
const REPORT_PAGE = 1_000;

const view = ProducerViewSchema.ref;

export function producerRoutes(app: HttpApp, { producers, wake, requestsPerSecond }: AgentsMd): void {
  app.addContentTypeParser('application/x-ndjson', (_request, body, done) => {
    done(null, body);
  });

  app.put(
    '/producers/:producerId',
    {
      schema: {
        operationId: 'putProducer',
        summary: 'Add a producer to the catalogue, or change it',
        description: '201: added; its first check is due at once. 200: it existed.',
        params: ProducerParams,
        body: ProducerRequest,
        response: { 200: view, 201: view, ...problemResponses('withBody', 'agents_md_off') },
      },
    },
    async ({ params: { producerId }, body }, reply) => {
      const producer = validProducer({ ...body, producerId });
      const { added } = await producers.put([producer], { at: new Date().toISOString() });
      await wake();
      reply.status(added.count > 0 ? 201 : 200);
      return producerViewOf((await producers.get(producerId)) ?? noProducer(producerId));
    },
  );

  app.put(
    '/producers',
    {
      schema: {
        operationId: 'importProducers',
        summary: 'Add and change many producers: JSON Lines, one object with producerId per line, at most 50,000',
        description: 'All or nothing: an invalid line changes nothing, and is named with its field.',
        querystring: ImportQuery,
        response: { 200: ImportChangesSchema, ...problemResponses('withBody', 'agents_md_off') },
      },
      preValidation: [queryBoolean('dry_run'), queryBoolean('remove_missing')],
    },
    async ({ query: { dry_run: dryRun = false, remove_missing: removeMissing = false }, body }) => {
      if (!(body instanceof Readable)) {
        throw refusal([{ pointer: '', code: 'malformed', detail: 'Send JSON Lines as application/x-ndjson.' }]);
      }
      const list = await readJsonLines(body);
      if (removeMissing && list.length === 0) {
        const detail =
          'The list is empty, and with remove_missing=true it would remove every producer. Name those that stay, or delete each one.';
        throw refusal([{ pointer: '', code: 'invalid', detail }]);
      }
      const changes = await producers.put(list, { at: new Date().toISOString(), removeMissing, dryRun });
      if (!dryRun) await wake();
      return changes;
    },
  );

  app.get(
    '/producers/:producerId',
    {
      schema: {
        operationId: 'getProducer',
        summary: 'A producer with its last conclusive results',
        params: ProducerParams,
        response: { 200: ProducerWithResultsSchema, ...problemResponses('withoutBody', 'not_found', 'agents_md_off') },
      },
    },
    async ({ params: { producerId } }) => {
      const record = isProducerId(producerId) ? await producers.get(producerId) : undefined;
      return { ...producerViewOf(record ?? noProducer(producerId)), results: await producers.results(producerId) };
    },
  );

  app.patch(
    '/producers/:producerId',
    {
      schema: {
        operationId: 'pauseProducer',
        summary: 'Pause the checks of a producer, or resume them',
        description: 'Changes nothing else of the producer. The next check of one that is resumed is due at once.',
        params: ProducerParams,
        body: ProducerChange,
        response: { 200: view, ...problemResponses('withBody', 'not_found', 'agents_md_off') },
      },
    },
    async ({ params: { producerId }, body: { paused } }) => {
      const at = new Date().toISOString();
      const record = isProducerId(producerId) ? await producers.setPaused(producerId, paused, at) : undefined;
      if (record !== undefined && !paused) await wake();
      return producerViewOf(record ?? noProducer(producerId));
    },
  );

  app.delete(
    '/producers/:producerId',
    {
      schema: {
        operationId: 'deleteProducer',
        summary: 'Remove a producer from the catalogue, with its results',
        params: ProducerParams,
        response: {
          204: Type.Null({ description: 'Removed.' }),
          ...problemResponses('withoutBody', 'not_found', 'agents_md_off'),
        },
      },
    },
    async ({ params: { producerId } }, reply) => {
      if (!isProducerId(producerId) || !(await producers.remove(producerId))) noProducer(producerId);
      reply.status(204);
      return null;
    },
  );

  app.get(
    '/producers',
    {
      schema: {
        operationId: 'listProducers',
        summary: 'The producers that meet every given condition',
        querystring: ProducersQuery,
        response: { 200: ProducerPageSchema, ...problemResponses('withoutBody', 'validation_failed', 'agents_md_off') },
      },
      preValidation: queryNumber('limit'),
    },
    async ({ query }) => {
      const { limit = LIMIT_DEFAULT, cursor } = query;
      const after = positionOf(LIST, cursor);
      const records = await producers.list(filterOf(query), { limit: limit + 1, after });
      const { data, next_cursor } = toPage(records, limit, (last) => cursorOf(LIST, placeOf(last)));
      return { data: data.map(producerViewOf), next_cursor };
    },
  );

  app.post(
    '/producers/check',
    {
      schema: {
        operationId: 'checkProducers',
        summary: 'Check producers now: by ID, with a label, or all; `Location` is the progress',
        body: CheckRequest,
        response: { 202: CheckProgressSchema, ...problemResponses('withBody', 'agents_md_off') },
      },
    },
    async ({ body }, reply) => {
      const { producerIds: ids, label, all } = body;
      if ([ids, label, all].filter((given) => given !== undefined).length !== 1) {
        throwFieldErrors([{ field: 'producerIds', problem: 'or label or all is required, and only one of them' }]);
      }
      const askedAt = new Date().toISOString();
      await producers.askFor(ids !== undefined ? { ids } : label !== undefined ? { label } : { all: true }, askedAt);
      await wake();
      reply.status(202).header('location', `/producers/check?asked_at=${encodeURIComponent(askedAt)}`);
      return producers.progress(askedAt);
    },
  );

  app.get(
    '/producers/check',
    {
      schema: {
        operationId: 'getCheckProgress',
        summary: 'How many of the producers that were asked for at a time are answered',
        querystring: ProgressQuery,
        response: {
          200: CheckProgressSchema,
          ...problemResponses('withoutBody', 'validation_failed', 'agents_md_off'),
        },
      },
    },
    async ({ query }) => producers.progress(queryTime('asked_at', query.asked_at).toISOString()),
  );

  app.get(
    '/producers/report',
    {
      schema: {
        operationId: 'getProducersReport',
        summary: 'The report of the catalogue, each producer with its fix',
        querystring: ReportQuery,
        response: {
          200: {
            description: 'The report.',
            content: Object.fromEntries(
              Object.entries(reportFormats).map(
                ([format, type]) =>
                  [
                    type.replace(/;.*/, ''),
                    { schema: format === 'json' ? ProducersReportSchema : Type.Unsafe<Readable>(Type.String()) },
                  ] as const,
              ),
            ),
          },
          ...problemResponses('withoutBody', 'validation_failed', 'agents_md_off'),
        },
      },
    },
    async ({ query }, reply) => {
      const { format = 'json' } = query;
      const counts = await producers.counts();
      const report = {
        at: new Date().toISOString(),
        counts,
        pace: paceOf(counts.hosts, requestsPerSecond),
        rows: pagesOf(producers, filterOf(query)),
      };
      reply.type(reportFormats[format]);
      return reply.send(Readable.from(renderReport(format, report)));
    },
  );
}

async function* pagesOf(producers: Producers, filter: ProducerFilter): AsyncGenerator<ProducerRecord[]> {
  let after: ProducerPosition | undefined;
  for (;;) {
    const page = await producers.list(filter, { limit: REPORT_PAGE, after });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < REPORT_PAGE) return;
    after = placeOf(last);
  }
}

const filterOf = ({ changed_since: changedSince, ...query }: Static<typeof ReportQuery>): ProducerFilter => {
  const at = queryTime('changed_since', changedSince)?.toISOString();
  return { outcome: query.outcome, reason: query.reason, label: query.label, changedSince: at };
};

const placeOf = ({ producerId, latest }: ProducerRecord): ProducerPosition => [latest?.outcomeSince ?? '', producerId];

function validProducer(value: object): Producer {
  const found = readProducer(value);
  if (Array.isArray(found)) throwFieldErrors(found);
  return found as Producer;
}

function noProducer(producerId: string): never {
  throw new ProblemError('not_found', `The catalogue has no producer ${JSON.stringify(producerId)}.`);
}
