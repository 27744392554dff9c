import { type CheckInput, checkInputFaults } from '../../agents-md/check-input.ts';
import type { CheckResult } from '../../agents-md/check-result.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import { createApiCaller } from '../api-client.ts';
import { followCheck } from './follow-check.ts';
import { defaultProducerId } from './default-producer-id.ts';
import { showCheckResult } from './show-check.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import type { LocalOptions } from '../common-options.ts';
import { checkExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { unlessInterrupted } from '../follow.ts';
import { shellWord } from '../shell-word.ts';

export interface SubjectOptions {
  readonly org?: string;
  readonly repo?: string;
  readonly host?: string;
}

export interface CheckOptions extends SubjectOptions, LocalOptions {
  readonly producer?: string;
}

export interface CheckContext extends CommandContext {
  /** Resolves with the exit code when the user interrupts. */
  readonly interrupted: Promise<number>;
}

/** Checks one producer; resolves with the exit code of its outcome. */
export async function runCheck(
  options: CheckOptions,
  { environment, write, writeMessage, interrupted }: CheckContext,
): Promise<number> {
  const input = checkInput(options);
  const call = createApiCaller(findApi(options.data, environment));
  const { data: started } = await call((api) => api.POST('/agents-md-checks', { body: input }));
  if (started.uiUrl !== null) writeMessage(`Temporal UI: ${started.uiUrl}\n`);
  const end = await unlessInterrupted(interrupted, (signal) => followCheck(call, input, started, signal));
  if (typeof end === 'number') {
    writeMessage(`The check continues. To see its result, run: ${showCommand(input, options)}\n`);
    return end;
  }
  const result = resultOf(end);
  write(`${options.json === true ? JSON.stringify(result) : showCheckResult(result)}\n`);
  return checkExitCode(result);
}

function resultOf({ producerId, latest, failure }: CheckView): CheckResult {
  if (failure === null && latest !== null) return latest;
  const why = failure?.message ?? 'its result is no longer stored';
  throw new CommandError(`The check of ${producerId} ended without a result: ${why}`, { code: 'check_ended' });
}

function checkInput({ producer, ...options }: CheckOptions): CheckInput {
  const subject = checkSubject(options);
  const { organization } = subject;
  if (producer === undefined && organization === undefined) {
    throw new CommandError('Nothing to check: give --org, --producer, --label or --all', {
      code: 'validation_failed',
    });
  }
  const producerId = producer ?? (organization === undefined ? '' : defaultProducerId({ ...subject, organization }));
  return validCheckInput({ producerId, ...subject });
}

/** Not validated yet. */
export const checkSubject = ({ org, repo, host }: SubjectOptions): Omit<CheckInput, 'producerId'> =>
  ({
    ...(org === undefined ? {} : { organization: org }),
    ...(repo === undefined ? {} : { primaryRepository: repo }),
    ...(host === undefined ? {} : { host }),
  }) as Omit<CheckInput, 'producerId'>;

/** @throws CommandError naming every problem by its option */
export function validCheckInput(input: CheckInput): CheckInput {
  const problems = checkInputFaults(input);
  if (problems.length === 0) return input;
  throw new CommandError(problems.map(({ field, problem }) => `${optionOf[field] ?? field} ${problem}`).join('\n'), {
    code: 'validation_failed',
  });
}

const optionOf: Readonly<Record<string, string>> = {
  producerId: 'the producer id',
  organization: '--org',
  primaryRepository: '--repo',
  host: '--host',
};

const showCommand = ({ producerId }: CheckInput, { data }: CheckOptions): string =>
  `sendoff agents-md show ${producerId} --data ${shellWord(data)}`;
