import type { Overlay, OverlayRow } from '../documents/document-judge.ts';

const ERRORS = 'resend.com/docs/api-reference/errors';
const IDEMPOTENCY = 'resend.com/docs/dashboard/emails/idempotency-keys';
const shape = { statusCode: 'number', name: 'string', message: 'string' } as const;

const row = (operation: string, status: number, code: string, source = ERRORS): OverlayRow => ({
  ...{ operation, status, code, shape, source },
  ...{ date: '2026-11-21', seenLive: false },
});

/** Resend's document describes successes alone. */
export const resendOverlay: Overlay = {
  codeField: 'name',
  rows: [
    row('any', 401, 'missing_api_key'),
    row('any', 401, 'restricted_api_key', 'Asymmetric-al/core pull request 1336'),
    row('any', 403, 'invalid_api_key'),
    row('any', 404, 'not_found'),
    row('any', 422, 'validation_error'),
    row('any', 429, 'rate_limit_exceeded'),
    row('POST /domains', 403, 'validation_error'),
    row('POST /emails', 403, 'validation_error'),
    row('POST /emails', 409, 'invalid_idempotent_request', IDEMPOTENCY),
    row('POST /emails', 409, 'concurrent_idempotent_requests', IDEMPOTENCY),
    row('POST /emails', 429, 'daily_quota_exceeded'),
    row('POST /emails', 451, 'security_error'),
    row('any', 500, 'application_error'),
  ],
};
