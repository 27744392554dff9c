// Finds the judges: installed tools are used, missing ones are fetched from Debian and PyPI into a cache. Nothing is installed
// on the machine.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/dev/temporal/cache-folder.ts';
import type { Suite } from './suite.ts';

const run = promisify(execFile);

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** The folders of servers in Debian, which are often not on a user's PATH. */
const SERVER_FOLDERS = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

export interface Tools {
  /** The path of a Debian command that the suite names. */
  command(name: string): string;
  /** The environment for such a command, whose libraries may be in the cache. */
  readonly environment: NodeJS.ProcessEnv;
  /** The folder with the unpacked packages, such as `…/debian/root`; `/` when all are installed. */
  readonly debianRoot: string;
  /** The Python with the judges' packages; undefined when the suite does not need it. */
  readonly python: string | undefined;
}

export class ToolsMissing extends Error {}

/** @throws ToolsMissing with what is missing and how to get it */
export async function findTools(suite: Suite, report: (line: string) => void): Promise<Tools> {
  const cache = join(cacheFolder(), 'judge');
  const debian = await debianTools(suite, join(cache, 'debian'), report);
  const python = suite.python ? await pythonWithJudges(join(cache, 'python'), report) : undefined;
  return { ...debian, python };
}

async function debianTools(
  { debian }: Suite,
  cache: string,
  report: (line: string) => void,
): Promise<Omit<Tools, 'python'>> {
  const commands = Object.values(debian).flat();
  const system = (process.env['PATH'] ?? '').split(delimiter).concat(SERVER_FOLDERS);
  const installed = await pathsOf(commands, system);
  const missing = Object.keys(debian).filter((name) => debian[name]?.some((command) => !installed.has(command)));
  if (missing.length === 0) return tools(installed, process.env, '/');

  const root = join(cache, 'root');
  const folders = ['usr/sbin', 'usr/bin', 'sbin', 'bin'].map((folder) => join(root, folder));
  let found = await pathsOf(commands, [...folders, ...system]);
  if (found.size < commands.length) {
    report(`Getting ${missing.join(', ')} from Debian into ${cache}`);
    await unpackPackages(missing, cache, root);
    found = await pathsOf(commands, [...folders, ...system]);
  }
  const absent = commands.filter((command) => !found.has(command));
  if (absent.length > 0) throw new ToolsMissing(`${absent.join(', ')} not found in ${missing.join(', ')}`);
  const libraries = await libraryFolders(root);
  const environment = {
    ...process.env,
    PATH: [...folders, process.env['PATH'] ?? ''].join(delimiter),
    LD_LIBRARY_PATH: [...libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(delimiter),
  };
  return tools(found, environment, root);
}

const tools = (
  found: ReadonlyMap<string, string>,
  environment: NodeJS.ProcessEnv,
  debianRoot: string,
): Omit<Tools, 'python'> => ({
  command(name) {
    const path = found.get(name);
    if (path === undefined) throw new Error(`${name} is not among the commands that the suite names`);
    return path;
  },
  environment,
  debianRoot,
});

async function pathsOf(commands: readonly string[], folders: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const command of commands) {
    for (const folder of folders) {
      const path = join(folder, command);
      if (await isExecutable(path)) {
        found.set(command, path);
        break;
      }
    }
  }
  return found;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Downloads and unpacks the packages and their missing dependencies; installing them would need root. */
async function unpackPackages(packages: readonly string[], cache: string, root: string): Promise<void> {
  const archives = join(cache, 'archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  const options = [
    ...['Debug::NoLocking=1', `Dir::Cache::archives=${archives}`, 'APT::Sandbox::User='].flatMap((option) => [
      '-o',
      option,
    ]),
    ...['--quiet', '--yes', '--no-install-recommends', '--download-only', '--reinstall'],
  ];
  const download = (): Promise<unknown> => run('apt-get', [...options, 'install', ...packages], QUIET);
  try {
    await download().catch(async () => {
      // A new machine has no package lists or outdated ones.
      await run('apt-get', ['--quiet', 'update'], QUIET);
      await download();
    });
  } catch (error) {
    throw new ToolsMissing(`install the Debian packages ${packages.join(', ')}: ${messageOf(error)}`);
  }
  for (const archive of await readdir(archives)) {
    if (archive.endsWith('.deb')) await run('dpkg-deb', ['--extract', join(archives, archive), root], QUIET);
  }
  await rm(archives, { recursive: true });
}

/** Debian has one folder of libraries per architecture, and one for Postfix; a few libraries are in neither. */
async function libraryFolders(root: string): Promise<string[]> {
  const folders: string[] = [];
  for (const base of ['usr/lib', 'lib']) {
    const entries = await readdir(join(root, base), { withFileTypes: true }).catch(() => []);
    folders.push(
      ...entries
        .filter((entry) => entry.isDirectory() && (entry.name.includes('-linux-') || entry.name === 'postfix'))
        .map((entry) => join(root, base, entry.name)),
      join(root, base),
    );
  }
  return folders;
}

async function pythonWithJudges(folder: string, report: (line: string) => void): Promise<string> {
  const python = join(folder, 'bin', 'python');
  const stamp = join(folder, 'requirements.sha256');
  const wanted = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return python;
  report(`Getting the Python judges from PyPI into ${folder}`);
  try {
    await run('python3', ['-m', 'venv', '--clear', folder], QUIET);
    await run(python, ['-m', 'pip', '--quiet', 'install', '--requirement', REQUIREMENTS], QUIET);
  } catch (error) {
    throw new ToolsMissing(`Python 3.11 or newer with venv and pip, and PyPI: ${messageOf(error)}`);
  }
  await writeFile(stamp, wanted);
  return python;
}

const QUIET = { maxBuffer: 16_000_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };

/** The last line of stderr says more than "Command failed". */
function messageOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim().split('\n').at(-1) ?? message;
}
