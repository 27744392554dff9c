import type { Overlay, OverlayRow } from '../documents/document-judge.ts';

const ERRORS = 'postmarkapp.com/developer/api/overview#error-codes';
const shape = { ErrorCode: 'number', Message: 'string' } as const;

const row = (operation: string, status: number, code: string, source = ERRORS): OverlayRow => ({
  ...{ operation, status, code, shape, source },
  ...{ date: '2026-11-21', seenLive: false },
});

/** Postmark publishes no document: its SDK judges the requests and the successes. */
export const postmarkOverlay: Overlay = {
  codeField: 'ErrorCode',
  rows: [
    row('any', 401, '10'),
    row('any', 404, '404', 'ActiveCampaign/postmark.js, src/client/errors/ErrorHandler.ts'),
    row('any', 422, '510'),
    row('any', 422, '601'),
    row('POST /servers', 422, '603'),
    row('DELETE /servers/{id}', 422, '604'),
    row('POST /domains/', 422, '503'),
    row('POST /domains/', 422, '504'),
    row('POST /email', 422, '400'),
    row('POST /email', 422, '406'),
    row('POST /email', 422, '412'),
    row('GET /messages/outbound/{id}/details', 422, '701'),
    row('any', 429, '429', 'ActiveCampaign/postmark.js, src/client/errors/ErrorHandler.ts'),
  ],
};
