import { CommanderError } from 'commander';
import { fileFault } from '../lib/file-fault.ts';
import { SettingsError } from '../lib/settings.ts';
import { withoutSecrets } from '../lib/without-secrets.ts';
import { CommandError } from './command-error.ts';
import { errorExitCode, ExitCode, onboardingExitCodes } from './exit-codes.ts';
import { program } from './program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A command that waits for its output reports first what is lost.
  setImmediate(() => {
    // The reader closed the pipe. The exit code is that of SIGPIPE, which is never the code of an outcome.
    if (error.code === 'EPIPE') process.exit(141);
    process.stderr.write(`The output cannot be written: ${fileFault(error)}\n`);
    process.exit(ExitCode.failed);
  });
});

try {
  for (const command of program.commands) command.exitOverride();
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
// Temporal's Runtime and open connections would keep the process alive.
process.stdout.write('', (error) => {
  if (!error) process.exit();
});

function report(error: unknown): number {
  const group = program.args[0];
  // Commander has already printed its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : errorExitCode(group, 'usage');
  const advice = isMissingPackage(error)
    ? ['This command needs packages that the image leaves out. Run it in a clone of sendoff']
    : [];
  const whole = [...advice, ...messages(error)].join('\n  because: ');
  // These errors show no value of a secret, and their examples look like some.
  const message = error instanceof SettingsError ? whole : withoutSecrets(whole);
  process.stderr.write(`${message}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error)
    process.stderr.write(`${withoutSecrets(error.stack ?? '')}\n`);
  if (process.argv.includes('--json')) {
    const { code = 'command_failed', fields = {} } = error instanceof CommandError ? error : {};
    process.stdout.write(`${JSON.stringify({ error: { code, message, ...fields } })}\n`);
  }
  const isInvalid = error instanceof CommandError && error.code === 'validation_failed';
  return isInvalid && group !== 'agents-md' ? onboardingExitCodes.InvalidInput : errorExitCode(group, 'failed');
}

/** The Dockerfile leaves out the packages of the local deployment. */
function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** The messages of the error and of its causes, without repetitions. */
function messages(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const [first, ...further] = error.cause === undefined ? [] : messages(error.cause);
  return [error.message, ...(first === undefined || error.message.includes(first) ? [] : [first]), ...further];
}
