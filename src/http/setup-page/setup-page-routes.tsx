import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import type { OpenedSetupLink } from '../../store/onboarding/setup-links.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { createEventStreams } from '../event-streams.ts';
import { createPageCheck } from './check-from-page.ts';
import { chooseLanguage, setupLanguages } from './choose-language.ts';
import { createOpenPages, type OpenPages } from './open-pages.ts';
import { renderDocument, type DocumentParts } from './page-document.tsx';
import { SetupPage, type SetupPageProps } from './setup-page.tsx';
import { checkNotices } from './setup-view.ts';
import { zoneFileHeading } from './texts/instruction-text.ts';
import type { SetupTexts } from './texts/setup-texts.ts';
import { viewOfRecord } from './view-of-record.ts';
import { recordsInZoneFile, zoneFile } from './zone-file.ts';

/** Each open page holds a connection. */
const STREAMS_MAX = 1_000;
/** Pages that one tenant has open at this server. */
const STREAMS_OF_TENANT_MAX = 20;
/** Proxies close a connection that is silent for a minute. */
const HEARTBEAT_MS = 20_000;
const RECONNECT_MS = 3_000;
/** A form without fields. */
const BODY_BYTES_MAX = 1_000;
const YEAR_SECONDS = 31_536_000;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  vary: 'accept-language',
} as const;

/** A query that says something else is not refused: links are passed on, and mail programs add parameters. */
const PageQuery = Type.Object({
  lang: Type.Optional(Type.Unknown()),
  form: Type.Optional(Type.Unknown()),
  checked: Type.Optional(Type.Unknown()),
  download: Type.Optional(Type.Unknown()),
});
type PageQuery = Readonly<Static<typeof PageQuery>>;

const TokenParams = Type.Object({ token: Type.String() });

/** The pages that tenants open with a link, without a credential but the one in it. */
export function setupPageRoutes(
  app: HttpApp,
  dependencies: Pick<HttpDependencies, 'onboardings' | 'register' | 'setupLinks' | 'setupPage'>,
): void {
  const {
    setupLinks,
    setupPage: { appearance },
  } = dependencies;
  const checkNow = createPageCheck(dependencies);
  const pages = createOpenPages(setupLinks, (error) => {
    app.log.warn({ err: error }, 'cannot read the versions of setup pages');
  });
  const streams = createEventStreams(app);
  app.addHook('preClose', async () => {
    pages.close();
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(HEADERS);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => {
    done(null, undefined);
  });
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) request.log.warn({ err: error }, 'setup page failed');
    const texts = languageOf(request);
    if (statusCode >= 500) void reply.header('retry-after', 5);
    return html(reply.code(statusCode >= 500 ? 503 : statusCode), unavailable(texts));
  });

  app.get(
    '/setup/assets/:file',
    { schema: { hide: true, params: Type.Object({ file: Type.String() }) } },
    (request, reply) => {
      const asset = appearance.files.get(request.params.file);
      if (asset === undefined) return notFound(request, reply);
      return reply
        .headers({
          'content-type': asset.type,
          'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
          // For an SVG that is opened by itself.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        })
        .send(asset.content);
    },
  );

  app.get(
    '/setup/:token',
    { schema: { hide: true, params: TokenParams, querystring: PageQuery } },
    async (request, reply) => {
      const opened = await setupLinks.open(request.params.token);
      if (opened === undefined) return notFound(request, reply);
      return request.query.download === 'zone-file'
        ? downloadZoneFile(opened, request, reply)
        : html(reply, page(opened, request));
    },
  );

  app.post(
    '/setup/:token',
    { bodyLimit: BODY_BYTES_MAX, schema: { hide: true, params: TokenParams, querystring: PageQuery } },
    async (request, reply) => {
      const opened = await setupLinks.open(request.params.token);
      if (opened === undefined) return notFound(request, reply);
      const checked = await checkNow(opened.record, request.log);
      return reply.code(303).header('location', queryOf(request.query)({ checked })).send();
    },
  );

  app.get(
    '/setup/:token/events',
    {
      exposeHeadRoute: false,
      schema: {
        hide: true,
        params: TokenParams,
        querystring: Type.Object({ version: Type.Optional(Type.Unknown()) }),
      },
    },
    async (request, reply) => {
      const opened = await setupLinks.open(request.params.token);
      if (opened === undefined) return notFound(request, reply);
      return stream(opened, request, reply);
    },
  );

  // Also for a token that is longer than a parameter may be.
  app.route({ method: ['GET', 'POST'], url: '/setup/*', schema: { hide: true }, handler: notFound });

  /** The work and the answer are the same for every link that opens nothing. */
  function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const texts = languageOf(request);
    return html(reply.code(404), message(texts, texts.notFound));
  }

  const others = (texts: SetupTexts, query: SetupPageProps['query']): DocumentParts['languages'] =>
    setupLanguages
      .filter((other) => other !== texts)
      .map(({ tag, languageName }) => ({ tag, languageName, href: query({ lang: tag }) }));

  /** Also if pages cannot be rendered: then without styles. */
  const unavailable = (texts: SetupTexts): string => {
    try {
      return message(texts, texts.unavailable);
    } catch {
      return plainPage(texts);
    }
  };

  /** A page that only says something. */
  const message = (texts: SetupTexts, { headline, next }: SetupTexts['notFound']): string =>
    renderDocument({
      title: headline,
      ...{ texts, appearance, languages: others(texts, queryOf({})) },
      children: (
        <section class="status status-neutral" aria-labelledby="headline">
          <h1 id="headline">{headline}</h1>
          <p class="lead">{next}</p>
        </section>
      ),
    });

  function page({ record }: OpenedSetupLink, request: FastifyRequest): string {
    const texts = languageOf(request);
    const asked = request.query as PageQuery;
    const query = queryOf(asked);
    const view = viewOfRecord(record, { generalForm: asked.form === 'general' });
    return renderDocument({
      title: texts.title(view.domain),
      ...{ texts, appearance, languages: others(texts, query) },
      children: (
        <SetupPage
          {...{ view, texts, query, version: record.updatedAt }}
          product={{ name: appearance.name, support: appearance.support?.shown }}
          notice={checkNotices.find((notice) => notice === asked.checked)}
          nowMs={Date.now()}
        />
      ),
    });
  }

  function downloadZoneFile({ record }: OpenedSetupLink, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const view = viewOfRecord(record);
    const name = view.domain.replace(/[^a-z0-9.-]/g, '_');
    return reply
      .header('content-disposition', `attachment; filename="${name}.zone"`)
      .type('text/plain; charset=utf-8')
      .send(zoneFile(recordsInZoneFile(view.records), zoneFileHeading(view, languageOf(request))));
  }

  function stream({ idHash, record }: OpenedSetupLink, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { tenantId } = record;
    if (streams.count() >= STREAMS_MAX || streams.count(tenantId) >= STREAMS_OF_TENANT_MAX) {
      return reply.code(503).header('retry-after', 30).send();
    }
    const { version } = request.query as { readonly version?: unknown };
    const shown = request.headers['last-event-id'] ?? version;
    const from = {
      ...{ idHash, version: typeof shown === 'string' ? shown : record.updatedAt },
      signal: streams.open(request, reply, tenantId),
    };
    return streams.send(reply, changes(pages, from));
  }
}

async function* changes(
  pages: OpenPages,
  { version, ...page }: { readonly idHash: string; readonly version: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MS}\n\n`;
  for (let shown = version; !page.signal.aborted;) {
    const change = await pages.next({ ...page, version: shown, waitMs: HEARTBEAT_MS });
    if (change.kind === 'closed') {
      yield 'event: closed\ndata:\n\n';
      return;
    }
    if (change.kind === 'changed') shown = change.version;
    yield change.kind === 'changed' ? `id: ${shown}\nevent: changed\ndata:\n\n` : ':\n\n';
  }
}

const languageOf = ({ query, headers }: FastifyRequest): SetupTexts => {
  const { lang } = query as PageQuery;
  return chooseLanguage(typeof lang === 'string' ? lang : undefined, headers['accept-language']);
};

/** Keeps what the reader chose. Never empty, because an empty address of a form or a link drops no parameter. */
const queryOf =
  ({ lang, form }: PageQuery) =>
  (changes: Readonly<Record<string, string | undefined>>): string => {
    const known = setupLanguages.find(({ tag }) => tag === lang);
    const kept = { lang: known?.tag, form: form === 'general' ? 'general' : undefined, ...changes };
    const set = Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return `?${new URLSearchParams(set).toString()}`;
  };

/** The texts are this program's, so nothing needs escaping. */
const plainPage = ({ tag, unavailable: { headline, next } }: SetupTexts): string =>
  `<!doctype html><html lang="${tag}"><meta charset="utf-8"><title>${headline}</title><h1>${headline}</h1><p>${next}</p></html>`;

const html = (reply: FastifyReply, content: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(content);
