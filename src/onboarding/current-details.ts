import { escapeMarkdown } from '../lib/escape-markdown.ts';
import type { Onboarding } from './onboarding.ts';
import { Stage } from './stage.ts';
import { onboardingWorkflowId } from './onboarding-ids.ts';

/** The stages that a person follows. */
const checklist: readonly (readonly [Stage, string])[] = [
  [Stage.issuingKey, 'API key'],
  [Stage.registeringDomain, 'Domain registered'],
  [Stage.awaitingDomain, 'Domain verified'],
  [Stage.creatingSender, 'Sender created'],
  [Stage.sendingFirstEmail, 'First email sent'],
  [Stage.awaitingDelivery, 'Delivery confirmed'],
];

/** Markdown for the Temporal UI: the steps with their times, the DNS records, the deadline and how to check now. */
export function currentDetails(onboarding: Onboarding, namespace: string): string {
  const sections = [`## ${onboarding.tenantId}: ${onboarding.domain}`, steps(onboarding)];
  if (onboarding.records.length > 0) sections.push(...dnsRecords(onboarding, namespace));
  if (onboarding.badEnd !== null) {
    const { type, exit, message } = onboarding.badEnd;
    sections.push(`**${type}${exit === null ? '' : ` (${exit})`}**: ${escapeMarkdown(message)}`);
  }
  if (onboarding.undo.length > 0) {
    sections.push(
      ['| undo | id | result | reason |', '| --- | --- | --- | --- |']
        .concat(
          onboarding.undo.map(
            (undo) => `| ${undo.step} | ${undo.resourceId ?? '-'} | ${undo.result} | ${escapeMarkdown(undo.reason)} |`,
          ),
        )
        .join('\n'),
    );
  }
  return sections.join('\n\n');
}

function steps(onboarding: Onboarding): string {
  return checklist
    .map(([stage, title]) => {
      const entered = onboarding.stages.findLast((visit) => visit.stage === stage);
      if (entered === undefined) return `- [ ] ${title}`;
      const left = onboarding.stages[onboarding.stages.indexOf(entered) + 1];
      const over = left !== undefined && left.stage !== Stage.undoing;
      return over ? `- [x] ${title} (${left.at})` : `- [ ] **${title}** since ${entered.at}`;
    })
    .join('\n');
}

function dnsRecords(onboarding: Onboarding, namespace: string): string[] {
  const rows = onboarding.records.map(
    (record) =>
      `| ${record.type} | \`${record.host}\` | ${record.zone ?? 'not found yet'} | ${record.required ? 'required' : 'recommended'} | ${record.status} | \`${record.value}\` |`,
  );
  const table = [
    // The value last: a DKIM key is wider than the page.
    '| type | host | zone | need | last check | value |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ];
  const findings = onboarding.records.flatMap((record) => record.findings.map((finding) => `- ${finding.fix}`));
  const waiting = onboarding.stage === Stage.awaitingDomain;
  const until = waiting ? `, to be published by ${onboarding.verificationDeadline ?? 'the deadline'}` : '';
  return [
    `DNS records of ${onboarding.domain}${until}:`,
    table.join('\n'),
    ...(findings.length > 0 ? [findings.join('\n')] : []),
    ...(waiting
      ? [
          'Polling does not update this page: see Pending Activities for the last result.',
          `Check now: \`temporal workflow update execute --namespace ${namespace} --workflow-id ${onboardingWorkflowId(onboarding.tenantId)} --name checkNow\``,
        ]
      : []),
  ];
}
