import type { Overlay, OverlayRow } from '../documents/document-judge.ts';

const COMMON = 'docs.aws.amazon.com/awsconsolehelpdocs/latest/gsg/common-errors.html';

const row = (status: number, code: string): OverlayRow => ({
  ...{ operation: 'any', status, code, shape: { message: 'string' }, source: COMMON },
  ...{ date: '2026-11-26', seenLive: false },
});

/** The document has the errors of each operation, but not those that are common to all of AWS, which say that nobody may ask. */
export const sesOverlay: Overlay = {
  codeField: '__type',
  codeHeader: 'x-amzn-errortype',
  rows: [row(403, 'AccessDeniedException'), row(403, 'UnrecognizedClientException'), row(403, 'ExpiredTokenException')],
};
