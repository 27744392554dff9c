import { counted } from '../../lib/counted.ts';
import { printable } from '../../lib/printable.ts';
import { type ApiCaller, type CheckRequestProgress, createApiCaller } from '../api-client.ts';
import type { ProgressStream } from '../progress-line.ts';
import { createProgressBar, endingsIn } from './progress-bar.ts';
import type { CheckContext } from './run-check.ts';
import { CommandError } from '../command-error.ts';
import type { LocalOptions } from '../common-options.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { createFollower, unlessInterrupted } from '../follow.ts';
import { shellWord } from '../shell-word.ts';

export interface CatalogueOptions extends LocalOptions {
  /** @default all producers */
  readonly label?: string;
  /** Follows the checks that were asked for then, and asks for none. */
  readonly askedAt?: string;
}

export interface ProgressContext extends Pick<CheckContext, 'writeMessage' | 'interrupted'> {
  readonly progress: ProgressStream;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A catalogue takes hours. */
const POLL_INTERVAL_MS = 1_000;

/** Checks producers of the catalogue; resolves with the exit code of the worst outcome. */
export async function checkCatalogue(
  { label, askedAt, json, data }: CatalogueOptions,
  { environment, write, ...context }: CheckContext & ProgressContext,
): Promise<number> {
  const call = createApiCaller(findApi(data, environment));
  const { data: started } = await call((api) =>
    askedAt === undefined
      ? api.POST('/producers/check', { body: label === undefined ? { all: true } : { label } })
      : api.GET('/producers/check', { params: { query: { asked_at: askedAt } } }),
  );
  const end = await followProgress(call, started, context);
  if (typeof end === 'number') {
    const again = `sendoff agents-md check --asked-at ${started.askedAt} --data ${shellWord(data)}`;
    context.writeMessage(`The checks continue. To follow them again, run: ${again}\n`);
    return end;
  }
  if (end.total < started.total) {
    const gone = started.total - end.total;
    context.writeMessage(`${counted(gone, 'producer')} of ${started.total} not counted: removed or paused meanwhile\n`);
  }
  write(`${json === true ? JSON.stringify(end) : summary(end)}\n`);
  return Math.max(...endingsIn(end.outcomes).map((ending) => agentsMdExitCodes[ending]));
}

/** Resolves when all are answered, or with the exit code if the user interrupts. */
export async function followProgress(
  call: ApiCaller,
  started: CheckRequestProgress,
  { progress, now, interrupted, writeMessage }: ProgressContext,
): Promise<CheckRequestProgress | number> {
  const bar = createProgressBar(progress, now);
  const report = (line: string): void => {
    bar.clear();
    writeMessage(`${printable(line)}\n`);
  };
  try {
    return await unlessInterrupted(interrupted, async (signal) => {
      const query = { asked_at: started.askedAt };
      const followed = {
        what: 'the catalogue',
        get: async () => (await call((api) => api.GET('/producers/check', { params: { query } }))).data,
        // It derives from the table: no Worker is asked.
        isAnswered: () => true,
      };
      const next = createFollower<CheckRequestProgress>(followed, { report, signal });
      for (let view = started; ; view = await next(POLL_INTERVAL_MS)) {
        const { total, answered } = view;
        if (total === 0) throw nothingAskedFor(started.askedAt);
        bar.show(view);
        if (answered >= total) return view;
      }
    });
  } finally {
    bar.clear();
  }
}

const nothingAskedFor = (askedAt: string): CommandError =>
  new CommandError(
    `The catalogue has no producer whose check was asked for at ${askedAt}: it is empty, all are paused, or there were 20 later requests`,
    { code: 'not_found' },
  );

const summary = (end: CheckRequestProgress): string =>
  `${counted(end.total, 'producer')}: ${endingsIn(end.outcomes)
    .map((ending) => `${end.outcomes[ending]} ${ending}`)
    .join(', ')}`;
