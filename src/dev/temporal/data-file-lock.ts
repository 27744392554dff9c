import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRunning } from './is-running.ts';
import { waitUntil } from '../../lib/timing/wait-until.ts';

/** An orphaned server ends within this time: `spawnTied` kills it after 8 s. */
const LEFTOVER_ENDS_WITHIN_MS = 15_000;

/** An exclusive lock on a data file. SQLite would let two servers open one file and process each other's work. */
export interface DataFileLock {
  /** Records the server, so that a later start waits for its end if our process dies. */
  serverStarted(pid: number): Promise<void>;
  /** Does nothing the second time: another process may hold the lock by then. */
  release(): Promise<void>;
}

interface Claimants {
  readonly ownerPid: number;
  readonly serverPid: number | undefined;
}

/** The locks of this process: in a container, an earlier process may have had its id. */
const held = new Set<string>();

/**
 * Creates the file's folder and a lock file beside it. Replaces a lock whose owner and server have ended. Throws if
 * another process runs a server on the file.
 */
export async function lockDataFile(dataFile: string): Promise<DataFileLock> {
  const claimFile = `${dataFile}.claim`;
  await mkdir(dirname(dataFile), { recursive: true });
  while (!(await createWhole(claimFile, text({ ownerPid: process.pid, serverPid: undefined })))) {
    const written = await readFile(claimFile, 'utf8').catch(() => undefined);
    if (written === undefined) continue;
    await waitForEnd(claimants(written), dataFile, claimFile);
    await takeAway(claimFile, written);
  }
  held.add(claimFile);
  let released = false;
  return {
    serverStarted: (pid) => writeFile(claimFile, text({ ownerPid: process.pid, serverPid: pid })),
    release: async () => {
      if (released) return;
      released = true;
      held.delete(claimFile);
      await rm(claimFile, { force: true });
    },
  };
}

/** A hard link appears with its whole content. False: the file already exists. */
export async function createWhole(claimFile: string, content: string): Promise<boolean> {
  const own = `${claimFile}-${randomUUID()}`;
  await writeFile(own, content);
  try {
    await link(own, claimFile);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes a stale lock, unless another process has replaced it with its own. */
async function takeAway(claimFile: string, expected: string): Promise<void> {
  const aside = `${claimFile}-${randomUUID()}`;
  try {
    await rename(claimFile, aside);
  } catch {
    return;
  }
  const taken = await readFile(aside, 'utf8');
  if (taken !== expected) await createWhole(claimFile, taken);
  await rm(aside);
}

async function waitForEnd({ ownerPid, serverPid }: Claimants, dataFile: string, claimFile: string): Promise<void> {
  const ownerEnded = ownerPid === process.pid ? !held.has(claimFile) : !isRunning(ownerPid);
  const ended =
    ownerEnded &&
    (serverPid === undefined || (await waitUntil(() => !isRunning(serverPid), { timeoutMs: LEFTOVER_ENDS_WITHIN_MS })));
  if (ended) return;
  throw new Error(
    `Another Temporal server uses ${dataFile} (process ${String(serverPid ?? ownerPid)}). ` +
      `Stop it or use another data file. If that process is not a Temporal server, delete ${claimFile}`,
  );
}

function claimants(written: string): Claimants {
  const [ownerPid, serverPid] = written.split('\n').map(Number);
  return { ownerPid: ownerPid ?? 0, serverPid: serverPid !== undefined && serverPid > 0 ? serverPid : undefined };
}

function text({ ownerPid, serverPid }: Claimants): string {
  return `${String(ownerPid)}\n${String(serverPid ?? '')}\n`;
}
