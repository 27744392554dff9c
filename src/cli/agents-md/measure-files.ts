import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ContentClass, type FileMeasurement, VISIBLE_CODE_POINTS_NEEDED } from '../../agents-md/file-measurement.ts';
import { measureFile, type MeasuredFile } from '../../agents-md/measure-file.ts';
import { brokenLinkDetails, isCertainSymlink } from '../../agents-md/symlink-text.ts';
import { counted } from '../../lib/counted.ts';
import { CommandError } from '../command-error.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';
import { type FileHead, kindOf, type LocalPlace, placeOf, readHead, readBlob } from './local-repository.ts';
import { printable } from '../../lib/printable.ts';
import { unreadableFile } from '../unreadable-file.ts';

export interface MeasureOptions {
  readonly json?: boolean;
  readonly stdin: Readable;
  readonly write: (text: string) => void;
  /** Writes messages that are not part of the results. */
  readonly writeMessage: (text: string) => void;
}

interface Measured {
  /** As the caller named it. */
  readonly file: string;
  readonly outcome: 'pass' | 'partial' | 'inconclusive';
  /** Measurement of the symlink's target, if one was followed. */
  readonly measurement: FileMeasurement;
  /** The target, from the repository's root; null if no symlink was followed. */
  readonly viaSymlink: string | null;
  /** Why a symlink was not followed. */
  readonly detail: string | null;
}

const STDIN = '-';

/**
 * Measures local files as the check does, and prints a line per file. Resolves with the highest exit code: 0 pass, 1
 * partial, 3 too long to judge, and, with several files, 4 cannot be measured.
 */
export async function measureFiles(
  files: readonly string[],
  { json = false, stdin, write, writeMessage }: MeasureOptions,
): Promise<number> {
  if (files.filter((file) => file === STDIN).length > 1) {
    throw new CommandError('- (stdin) is given more than once; it can be read only once', {
      code: 'validation_failed',
    });
  }
  const codes: number[] = [];
  for (const file of files) {
    try {
      const measured = await measureOne(file, stdin);
      write(json ? `${JSON.stringify(measured)}\n` : `${describe(measured)}\n`);
      codes.push(agentsMdExitCodes[measured.outcome]);
    } catch (error) {
      if (!(error instanceof CommandError) || files.length === 1) throw error;
      const { code, message } = error;
      writeMessage(`${message}\n`);
      if (json) write(`${JSON.stringify({ file, error: { code, message } })}\n`);
      codes.push(agentsMdExitCodes.notCarriedOut);
    }
  }
  return Math.max(...codes);
}

async function measureOne(file: string, stdin: Readable): Promise<Measured> {
  if (file === STDIN) {
    const head = await readHead(stdin).catch((error: unknown) => {
      throw unreadableFile('stdin', error);
    });
    const measured = measuredText(head, 'AGENTS.md', 'stdin');
    const isLink = measured.measurement.contentClass === ContentClass.brokenLink;
    return judged(file, measured, {
      detail: isLink ? 'stdin contains a symlink, which cannot be followed without a folder' : null,
    });
  }
  const place = await placeOf(resolve(file));
  return followSymlink(file, place, measuredText(await readBlob(place, file), place.path, file));
}

/** Follows one symlink within the repository, as the check does. */
async function followSymlink(file: string, place: LocalPlace, measured: MeasuredFile): Promise<Measured> {
  const { symlink } = measured;
  if (symlink === null) return judged(file, measured);
  if (symlink === 'escapes') return brokenLink(file, measured, brokenLinkDetails.outside);
  const { leadsTo, isGuess } = symlink;
  if (leadsTo === place.path) return brokenLink(file, measured, brokenLinkDetails.itself);
  const target = { ...place, path: leadsTo };
  const kind = await kindOf(target);
  if (kind === 'outside') return brokenLink(file, measured, brokenLinkDetails.outside);
  if (kind === 'absent') {
    return isGuess === true ? judged(file, measured) : brokenLink(file, measured, brokenLinkDetails.missing(leadsTo));
  }
  const name = `${leadsTo}, the target of ${file},`;
  const led = measuredText(await readBlob(target, name), leadsTo, name);
  if (isCertainSymlink(led.symlink)) {
    return brokenLink(file, measured, brokenLinkDetails.chained(leadsTo));
  }
  return judged(file, led, { viaSymlink: leadsTo });
}

const brokenLink = (file: string, measured: MeasuredFile, detail: string): Measured => {
  const measurement = { ...measured.measurement, contentClass: ContentClass.brokenLink };
  return judged(file, { ...measured, measurement }, { detail });
};

function judged(
  file: string,
  { measurement }: MeasuredFile,
  rest: Partial<Pick<Measured, 'viaSymlink' | 'detail'>> = {},
): Measured {
  // The rest of the file may contain enough.
  const isOpen = measurement.truncated && measurement.visibleCodePoints < VISIBLE_CODE_POINTS_NEEDED;
  const conclusive = measurement.contentClass === ContentClass.content ? 'pass' : 'partial';
  return { file, outcome: isOpen ? 'inconclusive' : conclusive, measurement, viaSymlink: null, detail: null, ...rest };
}

/** @param name of the file in errors */
function measuredText({ bytes, truncated }: FileHead, path: string, name: string): MeasuredFile {
  const measured = measureFile(bytes, truncated, path);
  if (measured.notText === null) return measured;
  throw new CommandError(`${name} contains ${measured.notText}; an AGENTS.md is a Markdown text file`, {
    code: 'not_text',
  });
}

function describe({ file, outcome, measurement, viaSymlink, detail }: Measured): string {
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
