import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ContentClass, type FileMeasurement } from '../../agents-md/file-measurement.ts';
import { judgeMeasurement } from '../../agents-md/judge.ts';
import { measureFile, type MeasuredFile } from '../../agents-md/measure-file.ts';
import { fixOf, type Outcome, type ReasonCode, reasons } from '../../agents-md/reasons.ts';
import { brokenLinkDetails, isCertainSymlink } from '../../agents-md/symlink-text.ts';
import { CommandError } from '../command-error.ts';
import { unreadableFile } from '../unreadable-file.ts';
import { findAgentsMd } from './find-agents-md.ts';
import { type FileHead, kindOf, type LocalPlace, placeOf, readHead, readBlob } from './local-repository.ts';

export const STDIN = '-';

export interface Measured {
  /** As the caller named it, or in a folder that the caller named. */
  readonly file: string;
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly outcome: Outcome | 'inconclusive';
  readonly reasonCode: ReasonCode;
  /** The file, or the target of a symlink that was followed; null if there is none. */
  readonly measurement: FileMeasurement | null;
  /** The target, from the repository's root; null if no symlink was followed. */
  readonly viaSymlink: string | null;
  /** Why a symlink was not followed, or why the file cannot be judged. */
  readonly detail: string | null;
  /** Files that a check does not read in place of one that is missing. */
  readonly nearMisses: readonly string[];
  readonly fix: string;
}

/** The files that a path stands for: itself, or every AGENTS.md of a folder, with what is to be said if its own is missing. */
export async function filesAt(
  path: string,
): Promise<{ readonly files: readonly string[]; readonly missing?: Measured }> {
  if (path === STDIN || !(await isFolder(path))) return { files: [path] };
  const { hasOwn, files, nearMisses } = await findAgentsMd(path);
  if (hasOwn) return { files };
  const own = join(path, 'AGENTS.md');
  const reasonCode = 'file_not_found';
  return {
    files,
    missing: {
      ...{ file: own, path: (await placeOf(resolve(own))).path, outcome: reasons[reasonCode].outcome, reasonCode },
      ...{ measurement: null, viaSymlink: null, detail: null, nearMisses, fix: fixOf(reasonCode) },
    },
  };
}

/** Git stores a symlink to a folder as a symlink. */
const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

export async function measureLocal(file: string, stdin: Readable): Promise<Measured> {
  if (file === STDIN) {
    const head = await readHead(stdin).catch((error: unknown) => {
      throw unreadableFile('stdin', error);
    });
    const measured = measuredText(head, 'AGENTS.md', 'stdin');
    const isLink = measured.measurement.contentClass === ContentClass.brokenLink;
    return judged({ file, path: 'AGENTS.md' }, measured, {
      detail: isLink ? 'stdin contains a symlink, which cannot be followed without a folder' : null,
    });
  }
  const place = await placeOf(resolve(file));
  return followSymlink(file, place, measuredText(await readBlob(place, file), place.path, file));
}

/** Follows one symlink within the repository, as the check does. */
async function followSymlink(file: string, place: LocalPlace, measured: MeasuredFile): Promise<Measured> {
  const { symlink } = measured;
  const at = { file, path: place.path };
  if (symlink === null) return judged(at, measured);
  if (symlink === 'escapes') return brokenLink(at, measured, brokenLinkDetails.outside);
  const { leadsTo, isGuess } = symlink;
  if (leadsTo === place.path) return brokenLink(at, measured, brokenLinkDetails.itself);
  const target = { ...place, path: leadsTo };
  const kind = await kindOf(target);
  if (kind === 'outside') return brokenLink(at, measured, brokenLinkDetails.outside);
  if (kind === 'absent') {
    return isGuess === true ? judged(at, measured) : brokenLink(at, measured, brokenLinkDetails.missing(leadsTo));
  }
  const name = `${leadsTo}, the target of ${file},`;
  const led = measuredText(await readBlob(target, name), leadsTo, name);
  if (isCertainSymlink(led.symlink)) {
    return brokenLink(at, measured, brokenLinkDetails.chained(leadsTo));
  }
  return judged(at, led, { viaSymlink: leadsTo });
}

const brokenLink = (at: Pick<Measured, 'file' | 'path'>, measured: MeasuredFile, detail: string): Measured => {
  const measurement = { ...measured.measurement, contentClass: ContentClass.brokenLink };
  return judged(at, { ...measured, measurement }, { detail });
};

function judged(
  { file, path }: Pick<Measured, 'file' | 'path'>,
  { measurement }: MeasuredFile,
  rest: Partial<Pick<Measured, 'viaSymlink' | 'detail'>> = {},
): Measured {
  const { reasonCode, detail } = judgeMeasurement(measurement);
  const outcome: Measured['outcome'] = reasons[reasonCode].outcome ?? 'inconclusive';
  const base = { file, path, outcome, reasonCode, measurement, viaSymlink: null, detail, nearMisses: [] };
  return { ...base, fix: fixOf(reasonCode), ...rest };
}

/** @param name of the file in errors */
function measuredText({ bytes, truncated }: FileHead, path: string, name: string): MeasuredFile {
  const measured = measureFile(bytes, truncated, path);
  if (measured.notText === null) return measured;
  throw new CommandError(`${name} contains ${measured.notText}; an AGENTS.md is a Markdown text file`, {
    code: 'not_text',
  });
}
