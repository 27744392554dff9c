import type { PostOutcome } from './webhook-client.ts';

/** RFC 9110 section 15.5.11: the URL is gone for good. */
const GONE = 410;

/** `accepted`: any 2xx. `gone`: 410, never to be repeated. Everything else, redirects included, is worth another attempt. */
export function postVerdict(outcome: PostOutcome): 'accepted' | 'gone' | 'refused' {
  if (outcome.kind === 'unanswered') return 'refused';
  const { statusCode } = outcome;
  if (statusCode >= 200 && statusCode < 300) return 'accepted';
  return statusCode === GONE ? 'gone' : 'refused';
}

/** Only host and status: the path and query of a webhook's URL often contain a token. */
export function describePost(url: string, outcome: PostOutcome): string {
  const { host } = new URL(url);
  if (outcome.kind === 'unanswered') return `${host}: ${outcome.reason}`;
  const { statusCode } = outcome;
  const redirect = statusCode >= 300 && statusCode < 400 ? '; redirects are not followed' : '';
  return `${host} answered ${String(statusCode)}${redirect}`;
}
