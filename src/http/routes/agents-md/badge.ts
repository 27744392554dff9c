import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { isProducerId } from '../../../agents-md/check-input.ts';
import type { AgentsMd } from '../../../client/agents-md/agents-md.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProducerParams } from '../../schemas/agents-md.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

const MAX_AGE_SECONDS = 300;

/** The colour has at least 4.5:1 to white; the width is that of the text in Verdana, to which `textLength` fits other fonts. */
const looks = {
  pass: { color: '#18713a', textWidth: 26 },
  partial: { color: '#8a5a00', textWidth: 36 },
  fail: { color: '#b3261e', textWidth: 19 },
  unchecked: { color: '#5a6472', textWidth: 62 },
} as const;
const LABEL = { text: 'AGENTS.md', color: '#3b4250', textWidth: 66 };
const HEIGHT = 20;
const PADDING = 6;

/**
 * One of four images, which have nothing of the producer in them. A producer that the catalogue does not have is `unchecked`, so that
 * an image without a token does not show who is in it.
 */
export function badgeRoute(app: HttpApp, { producers, publicBadges }: AgentsMd): void {
  app.get(
    '/producers/:producerId/badge.svg',
    {
      schema: {
        operationId: 'getProducerBadge',
        summary: 'The latest outcome of a producer as an image; needs no token if AGENTS_MD_PUBLIC_BADGES is set',
        security: [{}, { apiToken: [] }],
        params: ProducerParams,
        response: {
          200: {
            description: 'The image; `unchecked` also if the catalogue does not have the producer.',
            content: { 'image/svg+xml': { schema: Type.String() } },
          },
          304: Type.Unsafe<''>(Type.Null({ description: 'The image with the ETag of If-None-Match.' })),
          ...problemResponses('withoutBody', 'agents_md_off'),
        },
      },
    },
    async ({ params: { producerId }, headers }, reply) => {
      const record = isProducerId(producerId) ? await producers.get(producerId) : undefined;
      const { svg, etag } = badgeOf(record?.latest?.outcome ?? 'unchecked');
      reply.headers({
        'cache-control': `${publicBadges ? 'public' : 'private'}, max-age=${String(MAX_AGE_SECONDS)}`,
        etag,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
      const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
      // Also of the 304 response: a cache takes its headers over (RFC 9111 section 3.2).
      reply.type('image/svg+xml; charset=utf-8');
      return known.includes(etag) || known.includes('*') ? reply.status(304).send('') : reply.send(svg);
    },
  );
}

function badgeOf(outcome: keyof typeof looks): { readonly svg: string; readonly etag: string } {
  const { color, textWidth } = looks[outcome];
  const title = `${LABEL.text}: ${outcome}`;
  const left = LABEL.textWidth + 2 * PADDING;
  const width = left + textWidth + 2 * PADDING;
  const text = (value: string, x: number, length: number): string =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${value}</text>`;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${HEIGHT}" rx="3" fill="${color}"/>`,
    `<path d="M3 0h${left - 3}v${HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="${LABEL.color}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">',
    `${text(LABEL.text, PADDING, LABEL.textWidth)}${text(outcome, left + PADDING, textWidth)}</g></svg>`,
  ].join('');
  return { svg, etag: `"${createHash('sha256').update(svg).digest('base64url').slice(0, 16)}"` };
}
