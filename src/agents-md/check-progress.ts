import { escapeMarkdown } from '../lib/escape-markdown.ts';
import { checkFacts } from './check-facts.ts';
import type { CheckResult, CheckSoFar } from './check-result.ts';
import type { NextStep } from './next-step.ts';
import type { Observation } from './observation.ts';

/** What a running check shows of itself. */
export interface CheckProgress {
  /** Markdown for the Temporal UI: what the check covers, the responses so far, and the next request or the result. */
  readonly details: string;
  /** The request that the check is making, as plain text in one line; null before the first and after the last. */
  readonly currentRequest: string | null;
}

export function checkProgress(soFar: CheckSoFar, next: NextStep | CheckResult): CheckProgress {
  const { producerId, host, organization, primaryRepository } = checkFacts(soFar).subject;
  const where = organization === null ? 'no organization' : [host, organization, primaryRepository ?? '?'].join('/');
  const before = soFar.previous?.result.lastConclusive ?? null;
  const currentRequest = 'status' in next ? null : requestIn(next);
  const details = [
    `## ${'status' in next ? signs[next.outcome ?? next.status] : '⏳'} ${escapeMarkdown(`${producerId}: ${where}`)}`,
    ...(before === null ? [] : [`Before: ${before.outcome} (${before.reasonCode}) since ${before.unchangedSince}`]),
    ...(soFar.observations.length === 0 ? [] : [soFar.observations.map(shownResponse).join('\n')]),
    ...('status' in next ? [shownResult(next)] : []),
    ...(currentRequest === null ? [] : [escapeMarkdown(currentRequest)]),
  ].join('\n\n');
  return { details, currentRequest };
}

const signs = { pass: '✅', partial: '⚠️', fail: '❌', inconclusive: '❔', conclusive: '' } as const;

const shownResponse = ({ url, httpStatus, answer, detail, observedAt }: Observation): string =>
  `- ${escapeMarkdown(url)}: ${httpStatus ?? 'no response'}, ${answer}${detail === null ? '' : ` (${escapeMarkdown(detail)})`}, ${observedAt}`;

function shownResult({ outcome, status, reasonCode, message, remediation }: CheckResult): string {
  const steps = remediation.steps.map((step) => `\n- ${escapeMarkdown(step)}`).join('');
  return `**${outcome ?? status}** (${reasonCode}): ${escapeMarkdown(message)}\n\n${escapeMarkdown(remediation.summary)}${steps}`;
}

function requestIn(next: NextStep): string | null {
  if (next.step === 'conclude') return null;
  if (next.step === 'resolve') return `Requesting the repositories of ${next.organization} from ${next.host}`;
  const { organization, repository, path } = next.place;
  const file = `${organization}/${repository}/${path}`;
  return next.notBefore === null
    ? `Requesting ${file}`
    : `Requesting ${file} again at ${next.notBefore}, to confirm that the file is gone`;
}
