import { escapeMarkdown } from '../lib/escape-markdown.ts';
import { checkFacts } from './check-facts.ts';
import type { CheckResult, CheckSoFar } from './check-result.ts';
import type { NextStep } from './next-step.ts';
import type { Observation } from './observation.ts';

/** Markdown for the Temporal UI: whose file, what was answered so far, and what is asked next or what came of it. */
export function checkDetails(soFar: CheckSoFar, next: NextStep | CheckResult): string {
  const { producerId, host, organization, primaryRepository } = checkFacts(soFar).subject;
  const where = organization === null ? 'no organization' : [host, organization, primaryRepository ?? '?'].join('/');
  const before = soFar.previous?.result.lastConclusive ?? null;
  return [
    `## ${producerId}: ${where}`,
    ...(before === null ? [] : [`Before: ${before.outcome} (${before.reasonCode}) since ${before.unchangedSince}`]),
    ...(soFar.observations.length === 0 ? [] : [soFar.observations.map(shownAnswer).join('\n')]),
    'status' in next ? shownResult(next) : shownStep(next),
  ].join('\n\n');
}

const shownAnswer = ({ url, httpStatus, answer, detail, observedAt }: Observation): string =>
  `- ${escapeMarkdown(url)}: ${httpStatus ?? 'no answer'}, ${answer}${detail === null ? '' : ` (${escapeMarkdown(detail)})`}, ${observedAt}`;

function shownResult({ outcome, status, reasonCode, message, remediation }: CheckResult): string {
  const steps = remediation.steps.map((step) => `\n- ${escapeMarkdown(step)}`).join('');
  return `**${outcome ?? status}** (${reasonCode}): ${escapeMarkdown(message)}\n\n${escapeMarkdown(remediation.summary)}${steps}`;
}

function shownStep(next: NextStep): string {
  switch (next.step) {
    case 'resolve':
      return `Asking ${next.host} for the primary repository`;
    case 'fetch': {
      const { organization, repository, path } = next.place;
      const when =
        next.notBefore === null
          ? ''
          : `, not before ${next.notBefore}: it was there, and a second look confirms that it is gone`;
      return `Asking for ${escapeMarkdown(`${organization}/${repository}/${path}`)}${when}`;
    }
    case 'conclude':
      return 'Nothing more to ask';
  }
}
