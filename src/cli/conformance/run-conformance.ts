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
import type { RelayedExchange } from '../../conformance/relay.ts';
import { RELEASE } from '../../lib/temporal/worker-release.ts';
import { EMBEDDED, isProviderName, type ProviderName, providerNames } from '../../onboarding/provider-name.ts';
import type { ResultContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { textTable } from '../text-table.ts';
import { openEmbedded } from './embedded-target.ts';
import { cleanUp, openLive } from './live-target.ts';

const providers = [EMBEDDED, ...providerNames] as const;

export interface ConformanceOptions {
  /** @default all */
  readonly provider?: ProviderName | typeof EMBEDDED;
  readonly json?: boolean;
  /** A folder with the official documents. @default they judge nothing */
  readonly documents?: string;
  /** Against the account of the settings of `provider`, instead of a simulation. */
  readonly live?: boolean;
  /** Of a live run: it creates domains below this one. */
  readonly domain?: string;
  /** Deletes what an earlier live run has left, and runs nothing. */
  readonly cleanup?: boolean;
  /** Does not ask before a live run. */
  readonly yes?: boolean;
  /** A file, which gets what the exchanges with the provider looked like. */
  readonly record?: string;
  /** Such a file: held against the provider's simulation and its official document. */
  readonly replay?: string;
  /** A page with the markers of `withResults`. */
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
  write(json ? `${JSON.stringify({ reports })}\n` : `${reports.map(shown).join('\n\n')}\n`);
  return reports.every((one) => countOf(one, 'failed') + one.documentFaults.length === 0)
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
    const whole = { ...result, left: [...new Set(left)] };
    write(json ? `${JSON.stringify({ reports: [whole] })}\n` : `${[shown(whole), ...whole.left].join('\n')}\n`);
    return countOf(whole, 'failed') + whole.documentFaults.length + whole.left.length === 0
      ? ExitCode.done
      : ExitCode.failed;
  } finally {
    await farEnd.close();
  }
}

async function runAll(
  farEnd: FarEnd,
  {
    judge,
    report,
    record,
    afterCase,
  }: Pick<ConformanceIo, 'report'> & {
    readonly judge: DocumentJudge | undefined;
    readonly record?: string | undefined;
    readonly afterCase?: () => Promise<void>;
  },
): Promise<TargetReport> {
  const { provider = EMBEDDED, kind: target } = farEnd;
  const at = new Date().toISOString();
  const cases: CaseResult[] = [];
  // Of this run alone, and part of a domain's name.
  const run = `c${Date.now().toString(36)}`;
  let judged = 0;
  const faults = new Set<string>();
  const recording: RecordedExchange[] = [];
  const secrets = new Set([farEnd.credential]);
  const onExchanges = (exchanges: readonly RelayedExchange[]): void => {
    for (const exchange of judge === undefined ? [] : exchanges) {
      judged += 1;
      for (const fault of judge?.faultsOf(exchange) ?? []) faults.add(fault);
    }
    for (const exchange of record === undefined ? [] : exchanges) {
      for (const secret of credentialsOf(exchange)) secrets.add(secret);
      if (exchange.answer !== undefined) recording.push(recorded(exchange, exchange.answer));
    }
  };
  for (const one of allCases) {
    report(`${provider}: ${one.group}: ${one.name}`);
    cases.push(await runCase(one, { farEnd, run, onExchanges }));
    await afterCase?.();
  }
  const about = { provider, target, version: RELEASE, at };
  if (record !== undefined) writeFileSync(record, recordingText({ ...about, exchanges: recording }, [...secrets]));
  const document = judge === undefined ? 'not checked' : `${judge.name}, ${judged} exchanges, ${faults.size} faults`;
  return { ...about, document, documentFaults: [...faults], cases };
}

/** Runs the simulation, and compares it with what was recorded. */
async function replay(
  file: string,
  { documents }: ConformanceOptions,
  { write, report }: ConformanceIo,
): Promise<number> {
  const { provider, target, at, exchanges } = readRecording(file);
  if (!isProviderName(provider)) throw new CommandError(`There is no simulation of ${provider}`);
  const simulated: RecordedExchange[] = [];
  const farEnd = await openFake(provider);
  try {
    for (const one of allCases) {
      report(`${provider}: ${one.group}: ${one.name}`);
      const onExchanges = (passed: readonly RelayedExchange[]): void => {
        for (const exchange of passed)
          if (exchange.answer !== undefined) simulated.push(recorded(exchange, exchange.answer));
      };
      await runCase(one, { farEnd, run: 'replay', onExchanges });
    }
  } finally {
    await farEnd.close();
  }
  const judge = judgeIn(documents, provider);
  const faults = exchanges.flatMap((one) => judge?.faultsOf(exchangeOf(one)) ?? []);
  const found = [...new Set([...faults, ...differences(exchanges, simulated)])];
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
  return `${report.provider}, ${report.target}: ${counts}; document: ${report.document}\n${[...report.documentFaults, textTable(rows)].join('\n')}`;
}
