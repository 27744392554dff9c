import { readFileSync, writeFileSync } from 'node:fs';
import { allCases } from '../../conformance/cases/all-cases.ts';
import { type CaseResult, runCase } from '../../conformance/conformance-case.ts';
import type { FarEnd } from '../../conformance/far-end.ts';
import { caseTable, countOf, type TargetReport } from '../../conformance/report.ts';
import {
  differences,
  exchangeOf,
  readRecording,
  recorded,
  type RecordedExchange,
  recordingText,
} from '../../conformance/recording.ts';
import { withResults } from '../../conformance/results-on-page.ts';
import { openFake } from '../../conformance/targets/fake-target.ts';
import type { DocumentJudge } from '../../conformance/documents/document-judge.ts';
import { judgeIn } from '../../conformance/documents/official-documents.ts';
import { credentialsOf } from '../../conformance/cases/faults.ts';
import type { RelayedExchange } from '../../dev/relay.ts';
import { RELEASE } from '../../lib/temporal/worker-release.ts';
import { EMBEDDED, isProviderName, type ProviderName, providerNames } from '../../onboarding/provider-name.ts';
import type { ResultContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { textTable } from '../text-table.ts';
import { openEmbedded } from './embedded-target.ts';
import { cleanUp, openLive } from './live-target.ts';

const providers = [EMBEDDED, ...providerNames] as const;

/** As `addConformanceCommand` describes them. */
export interface ConformanceOptions {
  /** @default all */
  readonly provider?: ProviderName | typeof EMBEDDED;
  readonly json?: boolean;
  readonly documents?: string;
  readonly live?: boolean;
  readonly domain?: string;
  readonly cleanup?: boolean;
  readonly yes?: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly write?: string;
}

export interface ConformanceIo extends ResultContext {
  /** One line about what is under way. */
  readonly report: (line: string) => void;
  /** Whether the user agrees. */
  readonly ask: (question: string) => Promise<boolean>;
  /** The file that names what a live run has created. @default in the working directory */
  readonly journal?: string;
}

/** Resolves with the exit code: 1 if a case failed. */
export async function runConformance(options: ConformanceOptions, io: ConformanceIo): Promise<number> {
  const { provider, json = false, documents, write: page } = options;
  const { environment, write, report } = io;
  if (options.replay !== undefined) return replay(options.replay, options, io);
  if (options.record !== undefined && provider === undefined)
    throw new CommandError('Name the provider that is recorded with --provider');
  if (options.live === true || options.cleanup === true) return runLive(options, io);
  const chosen = provider === undefined ? providers : [provider];
  const reports: TargetReport[] = [];
  for (const name of chosen) {
    const farEnd = isProviderName(name) ? await openFake(name) : await openEmbedded(environment, report);
    try {
      reports.push(await runAll(farEnd, { judge: judgeIn(documents, name), report, record: options.record }));
    } finally {
      await farEnd.close();
    }
  }
  if (page !== undefined) writeFileSync(page, withResults(readFileSync(page, 'utf8'), caseTable(allCases, reports)));
  return printReports(reports, { json, write });
}

/** Returns the exit code. */
function printReports(
  reports: readonly TargetReport[],
  { json, write }: { readonly json: boolean } & Pick<ResultContext, 'write'>,
): number {
  write(json ? `${JSON.stringify({ reports })}\n` : `${reports.map(shown).join('\n\n')}\n`);
  return reports.every((one) => countOf(one, 'failed') + one.documentFaults.length + (one.left ?? []).length === 0)
    ? ExitCode.done
    : ExitCode.failed;
}

const JOURNAL = 'sendoff-conformance.jsonl';

/** What a live run creates, each for a domain below the user's. */
const created: Readonly<Record<ProviderName, string>> = {
  resend: 'domains',
  postmark: 'servers and domains',
  ses: 'identities, SES tenants and configuration sets',
};

/** Cleans up after each case, so that few domains exist at once. */
async function runLive(
  { provider, domain, documents, json = false, ...options }: ConformanceOptions,
  { environment, write, report, ask, journal = JOURNAL }: ConformanceIo,
): Promise<number> {
  if (!isProviderName(provider)) throw new CommandError('Name the provider of a live run with --provider');
  const live = { provider, environment, journal };
  if (options.cleanup === true) {
    const left = await cleanUp(live);
    write(left.length === 0 ? 'Nothing is left\n' : `Left:\n${left.join('\n')}\n`);
    return left.length === 0 ? ExitCode.done : ExitCode.failed;
  }
  if (domain === undefined)
    throw new CommandError('Name a domain of yours with --domain: the run creates domains below it');
  const question = `This creates ${created[provider]} for domains below ${domain} in your account at ${provider}, a few at a time, and deletes them. It makes some hundreds of requests, as fast as the settings allow, and sends no email, because it publishes no DNS records. ${journal} names what it has created; --cleanup deletes that after a run that died. Continue?`;
  if (options.yes !== true && !(await ask(question))) return ExitCode.failed;
  const farEnd = openLive({ ...live, domain });
  const left: string[] = [];
  try {
    const result = await runAll(farEnd, {
      judge: judgeIn(documents, provider),
      report,
      record: options.record,
      afterCase: async () => void left.push(...(await cleanUp(live))),
    });
    return printReports([{ ...result, left: [...new Set(left)] }], { json, write });
  } finally {
    await farEnd.close();
  }
}

/** @param run a word that tells this run's tenants from those of others */
async function runCases(
  farEnd: FarEnd,
  run: string,
  { report, afterCase }: Pick<ConformanceIo, 'report'> & { readonly afterCase?: () => Promise<void> },
): Promise<{ cases: CaseResult[]; exchanges: RelayedExchange[] }> {
  const cases: CaseResult[] = [];
  const exchanges: RelayedExchange[] = [];
  for (const one of allCases) {
    report(`${farEnd.provider ?? EMBEDDED}: ${one.group}: ${one.name}`);
    cases.push(await runCase(one, { farEnd, run, onExchanges: (passed) => void exchanges.push(...passed) }));
    await afterCase?.();
  }
  return { cases, exchanges };
}

const recordedOf = (exchanges: readonly RelayedExchange[]): RecordedExchange[] =>
  exchanges.flatMap((exchange) => (exchange.answer === undefined ? [] : [recorded(exchange, exchange.answer)]));

/** @param options.record the file that gets what the exchanges looked like */
async function runAll(
  farEnd: FarEnd,
  {
    judge,
    record,
    ...options
  }: Parameters<typeof runCases>[2] & {
    readonly judge: DocumentJudge | undefined;
    readonly record: string | undefined;
  },
): Promise<TargetReport> {
  const { provider = EMBEDDED, kind: target } = farEnd;
  const about = { provider, target, version: RELEASE, at: new Date().toISOString() };
  // Of this run alone, and part of a domain's name.
  const { cases, exchanges } = await runCases(farEnd, `c${Date.now().toString(36)}`, options);
  if (record !== undefined) {
    const secrets = new Set([farEnd.credential, ...exchanges.flatMap(credentialsOf)]);
    writeFileSync(record, recordingText({ ...about, exchanges: recordedOf(exchanges) }, [...secrets]));
  }
  const documentFaults = [...new Set(exchanges.flatMap((exchange) => judge?.faultsOf(exchange) ?? []))];
  const document = judge && `${judge.name}, ${exchanges.length} exchanges, ${documentFaults.length} faults`;
  return { ...about, document: document ?? 'not checked', documentFaults, cases };
}

/** Runs the simulation, and compares it with what was recorded. */
async function replay(
  file: string,
  { documents }: ConformanceOptions,
  { write, report }: ConformanceIo,
): Promise<number> {
  const { provider, target, at, exchanges } = readRecording(file);
  if (!isProviderName(provider)) throw new CommandError(`There is no simulation of ${provider}`);
  const farEnd = await openFake(provider);
  const simulated = await runCases(farEnd, 'replay', { report }).finally(() => farEnd.close());
  const judge = judgeIn(documents, provider);
  const faults = exchanges.flatMap((one) => judge?.faultsOf(exchangeOf(one)) ?? []);
  const found = [...new Set([...faults, ...differences(exchanges, recordedOf(simulated.exchanges))])];
  const against = judge === undefined ? 'the simulation' : `the simulation and ${judge.name}`;
  write(
    `${[`${provider}, ${target}, ${at}: ${exchanges.length} exchanges; ${found.length} differences from ${against}`, ...found].join('\n')}\n`,
  );
  return found.length === 0 ? ExitCode.done : ExitCode.failed;
}

function shown(report: TargetReport): string {
  const rows = report.cases.map(({ verdict, group, name, reason = '' }) => [verdict, group, name, reason]);
  const counts = (['held', 'failed', 'not applicable', 'not proven'] as const)
    .map((verdict) => `${countOf(report, verdict)} ${verdict}`)
    .join(', ');
  return [
    `${report.provider}, ${report.target}: ${counts}; document: ${report.document}`,
    ...[...report.documentFaults, textTable(rows), ...(report.left ?? [])],
  ].join('\n');
}
