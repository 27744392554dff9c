import { readFileSync } from 'node:fs';

/** Whether the process runs. A zombie, which its parent has not collected, does not. */
export function isRunning(pid: number): boolean {
  // Zero and negative numbers stand for process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** In a container whose first process collects no orphans, they stay zombies. Only Linux shows that. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/mu.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
