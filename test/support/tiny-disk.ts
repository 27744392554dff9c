import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TinyDisk {
  readonly folder: string;
  /** Takes all that is left of it. */
  readonly fill: () => void;
  /** Frees what `fill` has taken. */
  readonly free: () => void;
  readonly end: () => void;
}

/** A disk in memory that a test can fill; undefined where this process may not mount one. */
export function tinyDisk(megabytes: number): TinyDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  chmodSync(folder, 0o755);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (const block = Buffer.alloc(4_096); ;) writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free() {
      unlinkSync(filler);
    },
    end() {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
