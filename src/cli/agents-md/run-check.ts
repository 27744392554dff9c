import { type CheckInput, checkInputProblems } from '../../agents-md/check-input.ts';
import type { CheckResult } from '../../agents-md/check-result.ts';
import type { CheckView } from '../../client/agents-md/checks.ts';
import { createAgentsMdClient } from './agents-md-client.ts';
import { followCheck } from './follow-check.ts';
import { defaultProducerId } from './default-producer-id.ts';
import { showCheckResult } from './show-check.ts';
import { CommandError } from '../command-error.ts';
import { checkExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { unlessInterrupted } from '../follow.ts';
import { shellWord } from '../shell-word.ts';

export interface SubjectOptions {
  readonly org?: string;
  readonly repo?: string;
  readonly host?: string;
}

export interface CheckOptions extends SubjectOptions {
  readonly producer?: string;
  readonly json?: boolean;
  readonly data: string;
}

export interface CheckContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  /** Takes the result. */
  readonly write: (text: string) => void;
  /** Takes what is said beside the result. */
  readonly tell: (text: string) => void;
  /** Resolves with the exit code of an interruption. */
  readonly interrupted: Promise<number>;
}

/** Checks one producer and resolves with the code of its outcome. */
export async function runCheck(
  options: CheckOptions,
  { environment, write, tell, interrupted }: CheckContext,
): Promise<number> {
  const input = checkInput(options);
  const client = createAgentsMdClient(findApi(options.data, environment));
  const started = await client.startCheck(input);
  if (started.uiUrl !== null) tell(`Temporal UI: ${started.uiUrl}\n`);
  const end = await unlessInterrupted(interrupted, (signal) => followCheck(client, input, started, signal));
  if (typeof end === 'number') {
    tell(`The check goes on. See what comes of it with: ${goOnCommand(input, options)}\n`);
    return end;
  }
  const result = resultOf(end);
  write(`${options.json === true ? JSON.stringify(result) : showCheckResult(result)}\n`);
  return checkExitCode(result);
}

function resultOf({ producerId, latest, failure }: CheckView): CheckResult {
  if (failure === null && latest !== null) return latest;
  const why = failure?.message ?? 'nothing is known of it any more';
  throw new CommandError(`The check of ${producerId} ended without a result: ${why}`, { code: 'check_ended' });
}

/** Names what is wrong by the flags it came from. */
function checkInput({ producer, ...options }: CheckOptions): CheckInput {
  const subject = checkSubject(options);
  const { organization } = subject;
  if (producer === undefined && organization === undefined) {
    throw new CommandError('Whose file? Name the organization with --org, the producer with --producer, or a --file', {
      code: 'invalid_input',
    });
  }
  const producerId = producer ?? (organization === undefined ? '' : defaultProducerId({ ...subject, organization }));
  return validCheckInput({ producerId, ...subject });
}

/** The names as the options give them; nothing is known of them yet. */
export const checkSubject = ({ org, repo, host }: SubjectOptions): Omit<CheckInput, 'producerId'> =>
  ({
    ...(org === undefined ? {} : { organization: org }),
    ...(repo === undefined ? {} : { primaryRepository: repo }),
    ...(host === undefined ? {} : { host }),
  }) as Omit<CheckInput, 'producerId'>;

/** @throws CommandError naming every problem by the flag it comes from */
export function validCheckInput(input: CheckInput): CheckInput {
  const problems = checkInputProblems(input);
  if (problems.length === 0) return input;
  throw new CommandError(problems.map(({ field, problem }) => `${flagOf[field] ?? field} ${problem}`).join('\n'), {
    code: 'invalid_input',
  });
}

/** The flag a field of the input comes from. */
const flagOf: Readonly<Record<string, string>> = {
  producerId: 'the id of the producer',
  organization: '--org',
  primaryRepository: '--repo',
  host: '--host',
};

const goOnCommand = ({ producerId }: CheckInput, { data }: CheckOptions): string =>
  `npx sendoff agents-md show ${producerId} --data ${shellWord(data)}`;
