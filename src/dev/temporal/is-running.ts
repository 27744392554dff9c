import { readFileSync } from 'node:fs';

/** Whether this process id is a program that runs. One that has ended and was not collected by its parent does not. */
export function isRunning(pid: number): boolean {
  // Zero and negative numbers mean process groups to the system.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** In a container whose first process collects no orphans, one that has ended keeps its id for ever. Only Linux tells. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/mu.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
