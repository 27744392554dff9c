// Answers that the providers' documents leave out, as their pages and threads have them. No live run has shown one of them.
import type { Overlay } from './document-judge.ts';

const POSTMARK_ERRORS = 'postmarkapp.com/developer/api/overview#error-codes';
const POSTMARK_SDK = 'ActiveCampaign/postmark.js, src/client/errors/ErrorHandler.ts';
const RESEND_ERRORS = 'resend.com/docs/api-reference/errors';
const RESEND_IDEMPOTENCY = 'resend.com/docs/dashboard/emails/idempotency-keys';
const AWS_ERRORS = 'docs.aws.amazon.com/awsconsolehelpdocs/latest/gsg/common-errors.html';

/** Postmark publishes no document: its SDK judges the requests and the successes. Read on 2026-11-21. */
export const postmarkOverlay: Overlay = {
  codeField: 'ErrorCode',
  shape: { ErrorCode: 'number', Message: 'string' },
  rows: [
    ['any', 401, '10', POSTMARK_ERRORS],
    ['any', 404, '404', POSTMARK_SDK],
    ['any', 422, '510', POSTMARK_ERRORS],
    ['any', 422, '601', POSTMARK_ERRORS],
    ['POST /servers', 422, '603', POSTMARK_ERRORS],
    ['DELETE /servers/{id}', 422, '604', POSTMARK_ERRORS],
    ['POST /domains/', 422, '503', POSTMARK_ERRORS],
    ['POST /domains/', 422, '504', POSTMARK_ERRORS],
    ['POST /email', 422, '400', POSTMARK_ERRORS],
    ['POST /email', 422, '406', POSTMARK_ERRORS],
    ['POST /email', 422, '412', POSTMARK_ERRORS],
    ['GET /messages/outbound/{id}/details', 422, '701', POSTMARK_ERRORS],
    ['any', 429, '429', POSTMARK_SDK],
  ],
};

/** Resend's document describes successes alone. Read on 2026-11-21. */
export const resendOverlay: Overlay = {
  codeField: 'name',
  shape: { statusCode: 'number', name: 'string', message: 'string' },
  rows: [
    ['any', 401, 'missing_api_key', RESEND_ERRORS],
    ['any', 401, 'restricted_api_key', 'Asymmetric-al/core pull request 1336'],
    ['any', 403, 'invalid_api_key', RESEND_ERRORS],
    ['any', 404, 'not_found', RESEND_ERRORS],
    ['any', 422, 'validation_error', RESEND_ERRORS],
    ['any', 429, 'rate_limit_exceeded', RESEND_ERRORS],
    ['POST /domains', 403, 'validation_error', RESEND_ERRORS],
    ['POST /emails', 403, 'validation_error', RESEND_ERRORS],
    ['POST /emails', 409, 'invalid_idempotent_request', RESEND_IDEMPOTENCY],
    ['POST /emails', 409, 'concurrent_idempotent_requests', RESEND_IDEMPOTENCY],
    ['POST /emails', 429, 'daily_quota_exceeded', RESEND_ERRORS],
    ['POST /emails', 451, 'security_error', RESEND_ERRORS],
    ['any', 500, 'application_error', RESEND_ERRORS],
  ],
};

/**
 * The document has the errors of each operation, but not those that are common to all of AWS, with which it refuses a credential. Read on
 * 2026-11-26.
 */
export const sesOverlay: Overlay = {
  codeField: '__type',
  codeHeader: 'x-amzn-errortype',
  shape: { message: 'string' },
  rows: [
    ['any', 403, 'AccessDeniedException', AWS_ERRORS],
    ['any', 403, 'UnrecognizedClientException', AWS_ERRORS],
    ['any', 403, 'ExpiredTokenException', AWS_ERRORS],
  ],
};
