import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import type { StoredRecord } from '../../store/onboarding/register.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { createPageCheck } from './check-from-page.ts';
import { chooseLanguage, setupLanguages } from './choose-language.ts';
import { timeLeft } from './moments.tsx';
import { renderDocument, type DocumentParts } from './page-document.tsx';
import { SetupPage, type SetupPageProps } from './setup-page.tsx';
import { checkNotices } from './setup-view.ts';
import { zoneFileHeading } from './texts/instruction-text.ts';
import type { SetupTexts } from './texts/setup-texts.ts';
import { viewOfRecord } from './view-of-record.ts';
import { recordsInZoneFile, zoneFile } from './zone-file.ts';

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
      const record = await setupLinks.open(request.params.token);
      if (record === undefined) return notFound(request, reply);
      return request.query.download === 'zone-file'
        ? downloadZoneFile(record, request, reply)
        : page(record, request, reply);
    },
  );

  app.post(
    '/setup/:token',
    { bodyLimit: BODY_BYTES_MAX, schema: { hide: true, params: TokenParams, querystring: PageQuery } },
    async (request, reply) => {
      const record = await setupLinks.open(request.params.token);
      if (record === undefined) return notFound(request, reply);
      const checked = await checkNow(record, request.log);
      return reply.code(303).header('location', queryOf(request.query)({ checked })).send();
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

  /** 304 without rendering, if the script already shows it. */
  function page(record: StoredRecord, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const texts = languageOf(request);
    const asked = request.query as PageQuery;
    const query = queryOf(asked);
    const view = viewOfRecord(record, { generalForm: asked.form === 'general' });
    const left = view.deadline === null ? undefined : timeLeft(view.deadline, Date.now(), texts);
    const version = record.updatedAt;
    const etag = `W/"${encodeURIComponent([version, texts.tag, query({}), left].join())}"`;
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    const document = renderDocument({
      title: texts.title(view.domain),
      ...{ texts, appearance, languages: others(texts, query) },
      children: (
        <SetupPage
          {...{ view, texts, query, version, etag, timeLeft: left }}
          product={{ name: appearance.name, support: appearance.support?.shown }}
          notice={checkNotices.find((notice) => notice === asked.checked)}
        />
      ),
    });
    return html(reply, document);
  }

  function downloadZoneFile(record: StoredRecord, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const view = viewOfRecord(record);
    const name = view.domain.replace(/[^a-z0-9.-]/g, '_');
    return reply
      .header('content-disposition', `attachment; filename="${name}.zone"`)
      .type('text/plain; charset=utf-8')
      .send(zoneFile(recordsInZoneFile(view.records), zoneFileHeading(view, languageOf(request))));
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
