import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that a scenario measures, with its children. */
export interface MeasuredProcess {
  readonly name: string;
  readonly pid: number;
}

export interface Usage {
  /** User and system, of ended children too. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

interface Stat {
  readonly parent: number;
  readonly ticks: number;
  readonly pages: number;
}

/** Each by its name. PostgreSQL's memory is counted too high: its processes share most of it. */
export function usageOf(processes: readonly MeasuredProcess[]): Map<string, Usage> {
  const stats = readStats();
  return new Map(processes.map(({ name, pid }) => [name, usageOfTree(pid, stats)]));
}

function usageOfTree(pid: number, stats: ReadonlyMap<number, Stat>): Usage {
  const own = stats.get(pid);
  if (own === undefined) throw new Error(`Process ${pid} has ended, so its use cannot be measured`);
  let usage = { cpuMs: (own.ticks * 1_000) / ticksPerSecond, rssBytes: own.pages * pageBytes };
  for (const [child, { parent }] of stats) {
    if (parent !== pid) continue;
    const { cpuMs, rssBytes } = usageOfTree(child, stats);
    usage = { cpuMs: usage.cpuMs + cpuMs, rssBytes: usage.rssBytes + rssBytes };
  }
  return usage;
}

/** Of every process of the system: proc_pid_stat(5). */
function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may contain anything.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const field = (number: number): number => Number(fields[number - 3]);
      const ticks = field(14) + field(15) + field(16) + field(17);
      stats.set(Number(pid), { parent: field(4), ticks, pages: field(24) });
    } catch {
      // It has ended meanwhile.
    }
  }
  return stats;
}
