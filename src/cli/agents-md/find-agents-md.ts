import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { unreadableFile } from '../unreadable-file.ts';

export interface FoundInFolder {
  /** Whether the folder itself has the file that a check of the repository reads. */
  readonly hasOwn: boolean;
  /** Every AGENTS.md, the folder's own first. */
  readonly files: readonly string[];
  /** From the folder: files that a check does not read in its place, the nearest first. */
  readonly nearMisses: readonly string[];
}

const ENTRIES_MAX = 100_000;
const NEAR_MISSES_MAX = 5;
const SKIPPED = new Set(['.git', 'node_modules']);
const SIMILAR = new Set(['agents.md', 'agent.md', 'claude.md']);

/** Follows no symlink to a folder, and does not read .gitignore. */
export async function findAgentsMd(folder: string): Promise<FoundInFolder> {
  const similar: string[] = [];
  const waiting = [''];
  let seen = 0;
  for (let inner = waiting.shift(); inner !== undefined; inner = waiting.shift()) {
    const path = join(folder, inner);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      throw unreadableFile(path, error);
    });
    seen += entries.length;
    if (seen > ENTRIES_MAX) {
      const message = `${folder} has more than ${String(ENTRIES_MAX)} files; name a folder in it`;
      throw new CommandError(message, { code: 'validation_failed' });
    }
    // Breadth first, in an order that does not depend on the file system.
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const from = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) waiting.push(from);
      } else if (SIMILAR.has(entry.name.toLowerCase())) {
        similar.push(from);
      }
    }
  }
  return {
    hasOwn: similar.includes('AGENTS.md'),
    files: similar.filter((path) => /(?:^|\/)AGENTS\.md$/.test(path)).map((path) => join(folder, path)),
    nearMisses: similar.filter((path) => path !== 'AGENTS.md').slice(0, NEAR_MISSES_MAX),
  };
}
