import { escapeMarkdown, markdownCode, markdownRow } from '../lib/escape-markdown.ts';
import { attentionOf } from './attention.ts';
import type { DnsRecord } from './dns-record.ts';
import type { UndoneStep } from './failures.ts';
import { goesWithout, type Onboarding } from './onboarding.ts';
import { operatorActions, shellCommands } from './operator-actions.ts';
import { startAgain } from './start-again.ts';
import { Stage } from './stage.ts';
import { rowOf, steps } from './steps.ts';
import { withoutUncheckedAdvice } from './without-unchecked-advice.ts';

/** A longer value is cut: a DKIM key is wider than the page. */
const VALUE_LENGTH_MAX = 60;
const TEXT_LENGTH_MAX = 1_000;
const ROWS_MAX = 8;

/**
 * Markdown for the Temporal UI, under 20 kB: who waits for what and since when, what is wrong, the steps, the DNS records
 * and what an operator can do.
 */
export function currentDetails(onboarding: Onboarding, namespace: string): string {
  return [
    `## ${icon(onboarding)} ${escapeMarkdown(`${onboarding.tenantId}: ${onboarding.domain}`)}`,
    headline(onboarding),
    ...mistakes(onboarding),
    ...undoReport(onboarding),
    '### What you can do here',
    operatorActions(onboarding),
    '### Steps',
    stepList(onboarding),
    ...dnsRecords(onboarding),
    ...shellCommands(onboarding, namespace),
  ].join('\n\n');
}

const isOver = ({ stage }: Onboarding): boolean => stage === Stage.done;

function icon({ badEnd, stage }: Onboarding): string {
  if (badEnd !== null || stage === Stage.undoing) return '❌';
  return stage === Stage.done ? '✅' : '⏳';
}

function headline(onboarding: Onboarding): string {
  const { badEnd, stage, stages, recipient } = onboarding;
  const entered = stages.at(-1)?.at;
  const since = entered === undefined ? '' : ` since ${time(entered)}`;
  if (badEnd !== null) {
    const { type, exit, message } = badEnd;
    const end = `**${type}${exit === null ? '' : ` (${exit})`}**: ${escapeMarkdown(cut(withoutRepetition(message, onboarding)))}`;
    return isOver(onboarding) ? end : `${end}\n\nThe undo is running${since}.`;
  }
  if (isOver(onboarding)) return `**Onboarded**: the first email to ${escapeMarkdown(recipient)} was delivered.`;
  if (stage === Stage.undoing) return `The undo is running${since}.`;
  const what = steps.find((row) => row.stage === stage)?.waitsFor(onboarding) ?? '';
  return `**Waits for ${escapeMarkdown(what)}**${since}.${untilDeadline(onboarding)}`;
}

function untilDeadline({ stage, verificationDeadline }: Onboarding): string {
  if (stage !== Stage.awaitingDomain || verificationDeadline === null) return '';
  return ` The verification window closes at ${time(verificationDeadline)}; then it fails with F1.`;
}

/** Definite mistakes first: other findings may resolve without a person. */
function mistakes(onboarding: Onboarding): string[] {
  const definite = attentionOf(onboarding.records)?.findings ?? [];
  const isDefinite = (code: string, name: string): boolean =>
    definite.some((mistake) => mistake.code === code && mistake.name === name);
  const others = onboarding.records.flatMap(({ findings, required }) =>
    findings.filter(({ code, name }) => !isDefinite(code, name)).map((finding) => ({ ...finding, required })),
  );
  const shown = (sign: string, { code, fix }: { code: string; fix: string }): string =>
    `- ${sign} ${escapeMarkdown(cut(withShortValues(fix, onboarding)))} (${markdownCode(cut(code, 100))})`;
  const lines = [
    ...definite.map((finding) => shown('❌', finding)),
    ...others.map((finding) => shown(finding.required ? '⏳' : '⚠️ Recommended:', finding)),
  ];
  if (lines.length === 0) return [];
  return [definite.length > 0 ? '### What is wrong in the DNS' : '### What the DNS check found', firstOf(lines)];
}

function stepList(onboarding: Onboarding): string {
  const { stages, badEnd } = onboarding;
  return steps
    .flatMap((row) => {
      if (!('result' in row) || goesWithout(onboarding, row)) return [];
      const { stage, result: title } = row;
      const entered = stages.findLast((visit) => visit.stage === stage);
      if (entered === undefined) return `- ⬜ ${title}`;
      const left = stages[stages.indexOf(entered) + 1];
      const id = 'id' in row ? onboarding[row.id] : null;
      const made = id === null ? '' : ` ${markdownCode(cut(id, 100))}`;
      // F2 goes back to the domain wait.
      const isRefused = left?.stage === Stage.awaitingDomain && stage === Stage.creatingSender;
      if (isRefused) return `- ⬜ ${title}`;
      const isCutOff =
        left?.stage === Stage.undoing || (left?.stage === Stage.done && stage !== Stage.awaitingDelivery);
      if (left !== undefined && !isCutOff) return `- ✅ ${title}${made} (${time(left.at)})`;
      return `- ${badEnd === null && left === undefined ? '⏳' : '❌'} **${title}**${made} since ${time(entered.at)}`;
    })
    .join('\n');
}

const recordSigns: Record<DnsRecord['status'], string> = {
  found: '✅',
  missing: '⏳',
  wrong: '❌',
  inconclusive: '❔',
  unchecked: '⬜',
};

function dnsRecords({ records: all, domain, stage }: Onboarding): string[] {
  const records = withoutUncheckedAdvice(all);
  if (records.length === 0) return [];
  const rows = records
    .slice(0, ROWS_MAX)
    .map(({ purpose, type, host, zone, value, required, status }) =>
      markdownRow([
        `${recordSigns[status]} ${status}`,
        `${escapeMarkdown(cut(purpose, 40))}${required ? '' : ' (recommended)'}`,
        escapeMarkdown(cut(type, 20)),
        markdownCode(cut(host, 260)),
        zone == null ? 'not found yet' : escapeMarkdown(cut(zone, 260)),
        markdownCode(shortened(value)),
      ]),
    );
  return [
    `### DNS records of ${escapeMarkdown(domain)}`,
    ['| last check | record | type | host | zone | value |', '| --- | --- | --- | --- | --- | --- |', ...rows].join(
      '\n',
    ),
    ...(stage === Stage.awaitingDomain
      ? ['A poll changes this table only when it finds other mistakes; its last result is under Pending Activities.']
      : []),
  ];
}

const undoSigns: Record<UndoneStep['result'], string> = { undone: '✅', kept: '📌', failed: '❌' };
function undoReport({ undo }: Onboarding): string[] {
  if (undo.length === 0) return [];
  const lines = undo.map(({ step, resourceId, result, reason }) => {
    const id = resourceId === null ? '' : ` ${markdownCode(cut(resourceId, 100))}`;
    const words = reason.startsWith(result) ? reason : `${result === 'failed' ? 'not undone' : result}: ${reason}`;
    return `- ${undoSigns[result]} ${rowOf(step).resource}${id} ${escapeMarkdown(cut(words))}`;
  });
  return ['### What the undo did', firstOf(lines)];
}

/** `2026-01-04 10:00:00 UTC` */
const time = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;

const cut = (text: string, most = TEXT_LENGTH_MAX): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
const shortened = (value: string): string => cut(value, VALUE_LENGTH_MAX);

/** A finding names the value to publish; the whole value is one command away. */
const withShortValues = (text: string, { records }: Onboarding): string =>
  records.reduce(
    (shorter, { value }) => (value.length > VALUE_LENGTH_MAX ? shorter.replaceAll(value, shortened(value)) : shorter),
    text,
  );

/** Without what other sections show. */
const withoutRepetition = (message: string, { tenantId, records }: Onboarding): string =>
  records
    .flatMap(({ findings }) => findings.map(({ fix }) => fix))
    .reduce((shorter, fix) => shorter.replaceAll(fix, ''), message.replace(startAgain(tenantId), ''))
    .trim();

const firstOf = (lines: readonly string[]): string =>
  lines.length <= ROWS_MAX
    ? lines.join('\n')
    : [...lines.slice(0, ROWS_MAX), `- and ${lines.length - ROWS_MAX} more`].join('\n');
