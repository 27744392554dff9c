import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { executableOnPath } from './executable-on-path.ts';
import type { Way } from './first-that-works.ts';
import { placeInCache, removeFromCache } from './place-in-cache.ts';
import type { ReportLine } from './run-command.ts';

/** Resolves with the reason why an executable does not run, as part of a sentence; undefined if it runs. */
export type ExecutableCheck = (executable: string) => Promise<string | undefined>;

export interface CachedWay {
  /** For a list: "the download of the Temporal SDK". */
  readonly name: string;
  /** Name in the cache, without the platform. */
  readonly cacheName: string;
  /** Path of the executable if a folder is cached. */
  readonly executableInFolder?: string;
  /** Programs that must be on the PATH. */
  readonly needs: readonly string[];
  /** Creates it inside the given empty folder and returns its path. */
  make(folder: string): Promise<string>;
}

export interface CachedWaysOptions {
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly problem: ExecutableCheck;
  readonly report: ReportLine;
}

/** Returns the executable that a variable names. Throws if it does not run: the user chose it, so no other is tried. */
export async function namedByVariable(variable: string, executable: string, problem: ExecutableCheck): Promise<string> {
  const found = await problem(executable);
  if (found === undefined) return executable;
  throw new Error(
    `Cannot use ${variable}: ${found}. Correct the variable, or unset it to search for another executable`,
  );
}

/** Searches the cache for the result of each way, then tries the ways in order. */
export function cachedWays(ways: readonly CachedWay[], options: CachedWaysOptions): Way<string>[] {
  return [
    {
      name: `the cache ${options.cacheFolder}`,
      absent: 'it is empty',
      get: () => fromCache(ways, options),
    },
    ...ways.map((way) => ({
      name: way.name,
      absent: `needs ${way.needs.map((program) => `\`${program}\``).join(' and ')} on the PATH`,
      get: async () => ((await canMake(way, options)) ? await makeAndCache(way, options) : undefined),
    })),
  ];
}

async function fromCache(ways: readonly CachedWay[], options: CachedWaysOptions): Promise<string | undefined> {
  for (const way of ways) {
    const name = platformName(way.cacheName);
    const executable = executablePath(join(options.cacheFolder, name), way);
    if (!existsSync(join(options.cacheFolder, name))) continue;
    const problem = await options.problem(executable);
    if (problem === undefined) return executable;
    options.report(`Removing a cached server: ${problem}`);
    await removeFromCache({ cacheFolder: options.cacheFolder, name });
  }
  return undefined;
}

async function canMake(way: CachedWay, { path }: CachedWaysOptions): Promise<boolean> {
  const found = await Promise.all(way.needs.map((program) => executableOnPath(program, path)));
  return found.every((executable) => executable !== undefined);
}

async function makeAndCache(way: CachedWay, options: CachedWaysOptions): Promise<string> {
  const place = await placeInCache({
    cacheFolder: options.cacheFolder,
    name: platformName(way.cacheName),
    make: async (folder) => {
      const made = await way.make(folder);
      const problem = await options.problem(executablePath(made, way));
      if (problem !== undefined) throw new Error(problem);
      return made;
    },
    usable: async (path) => (await options.problem(executablePath(path, way))) === undefined,
  });
  options.report(`Cached in ${place}`);
  return executablePath(place, way);
}

function platformName(name: string): string {
  const extension = process.platform === 'win32' ? '.exe' : '';
  return `${name}-${process.platform}-${process.arch}${extension}`;
}

function executablePath(made: string, way: CachedWay): string {
  return way.executableInFolder === undefined ? made : join(made, way.executableInFolder);
}
