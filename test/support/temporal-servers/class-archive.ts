// AppCDS: from an archive of its classes, Maven's test server starts in half of the CPU time.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ReportLine } from '../../../src/dev/temporal/run-command.ts';
import { jarsFolderName } from './fetch-with-maven.ts';

/** Options that give this test server its archive, which is made if there is none. None where it starts without one. */
export async function classArchiveOptions(path: string, report: ReportLine): Promise<readonly string[]> {
  const folder = dirname(path);
  try {
    await access(join(folder, jarsFolderName));
  } catch {
    // Not a JVM.
    return [];
  }
  try {
    const prefix = `classes-${await jvmVersion()}`;
    let archive = await soundArchive(folder, prefix);
    if (archive === undefined) {
      // Temporal's client takes longer to load than all else here.
      const { makeClassArchive } = await import('./make-class-archive.ts');
      await makeClassArchive({ path, made: (file) => archiveName(prefix, file) });
      archive = await soundArchive(folder, prefix);
    }
    return archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`, '-Xshare:auto', '-Xlog:disable'];
  } catch (error) {
    report(`The test server starts without an archive of its classes: ${String(error)}`);
    return [];
  }
}

/** An archive fits one build of the JVM only. */
async function jvmVersion(): Promise<string> {
  const home = process.env['JAVA_HOME'];
  const { stdout } = await promisify(execFile)(home ? join(home, 'bin', 'java') : 'java', ['--version']);
  return (
    stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.match(/[\w.]+/gu)
      ?.join('-') ?? 'unknown'
  );
}

/** A JVM that maps a damaged archive crashes, so the name has its hash. */
async function soundArchive(folder: string, prefix: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.jsa')) continue;
    const archive = join(folder, name);
    if (name === (await archiveName(prefix, archive))) return archive;
    await rm(archive, { force: true });
  }
  return undefined;
}

async function archiveName(prefix: string, file: string): Promise<string> {
  return `${prefix}-${createHash('sha1')
    .update(await readFile(file))
    .digest('hex')}.jsa`;
}
