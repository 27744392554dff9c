import type { Readable } from 'node:stream';
import { counted } from '../../lib/counted.ts';
import { printable } from '../../lib/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';
import { filesAt, type Measured, measureLocal, STDIN } from './measure-local.ts';
import { sarifOf } from './sarif.ts';

export interface MeasureOptions extends Omit<CommandContext, 'environment'> {
  readonly format: 'text' | 'json' | 'sarif';
  readonly stdin: Readable;
}

/**
 * Measures local files as the check does, and every AGENTS.md of a folder. Resolves with the highest exit code: 0 pass, 1
 * partial, 2 a folder has none, 3 too long to judge, and, unless it is the only one, 4 cannot be measured.
 */
export async function measureFiles(
  paths: readonly string[],
  { format, stdin, write, writeMessage }: MeasureOptions,
): Promise<number> {
  if (paths.filter((path) => path === STDIN).length > 1) {
    throw new CommandError('- (stdin) is given more than once; it can be read only once', {
      code: 'validation_failed',
    });
  }
  const results: Measured[] = [];
  const failures: string[] = [];
  const show = (measured: Measured): void => {
    results.push(measured);
    if (format === 'text') write(`${describe(measured)}\n`);
    if (format === 'json') write(`${JSON.stringify(measured)}\n`);
  };
  const attempt = async <Found>(file: string, work: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CommandError) || (paths.length === 1 && file === paths[0])) throw error;
      const { code, message } = error;
      failures.push(message);
      writeMessage(`${printable(message)}\n`);
      if (format === 'json') write(`${JSON.stringify({ file, error: { code, message } })}\n`);
      return undefined;
    }
  };
  for (const path of paths) {
    const { files = [], missing } = (await attempt(path, () => filesAt(path))) ?? {};
    if (missing !== undefined) show(missing);
    for (const file of files) {
      const measured = await attempt(file, () => measureLocal(file, stdin));
      if (measured !== undefined) show(measured);
    }
  }
  if (format === 'sarif') write(`${JSON.stringify(sarifOf(results, failures))}\n`);
  const codes = results.map(({ outcome }) => agentsMdExitCodes[outcome]);
  return Math.max(...codes, ...(failures.length > 0 ? [agentsMdExitCodes.notCarriedOut] : []));
}

function describe({ file, outcome, measurement, viaSymlink, detail, nearMisses, fix }: Measured): string {
  if (measurement === null) {
    const others = nearMisses.length === 0 ? '' : `; it has ${nearMisses.join(', ')}`;
    return printable(`${outcome}: ${file} does not exist${others}. ${fix}`);
  }
  const { visibleCodePoints, threshold, codePoints, contentClass, encoding, headings, truncated } = measurement;
  const facts = [
    `${codePoints} with comments, ${counted(headings, 'heading')}, ${encoding}, read as ${contentClass.replace('_', ' ')}`,
    ...(viaSymlink === null ? [] : [`measured at the symlink's target ${viaSymlink}`]),
    ...(truncated ? ['only its beginning was read'] : []),
  ];
  const name = file === STDIN ? 'stdin' : file;
  const counts = `${name} has ${counted(visibleCodePoints, 'visible character')} (${threshold} needed)`;
  return printable(`${outcome}: ${counts}; ${facts.join(', ')}${detail === null ? '' : `: ${detail}`}`);
}
