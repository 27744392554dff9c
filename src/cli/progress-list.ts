import { Listr, type ListrTask, ListrLogger, PRESET_TIMER, ProcessOutput } from 'listr2';

/** An end without success that a task has shown. It is a result, not an error. */
export class ShownEnd extends Error {}

/** Runs tasks one after the other, with their progress on stderr: stdout belongs to the result. Resolves also after a ShownEnd. */
export async function runTasks(tasks: ListrTask[]): Promise<void> {
  const output = new ProcessOutput(process.stderr, process.stderr);
  const logger = new ListrLogger({ processOutput: output });
  const list = new Listr(tasks, {
    concurrent: false,
    // Listr's own listeners would end the process at once, without stopping or removing anything.
    registerSignalListeners: false,
    renderer: process.stderr.isTTY ? 'default' : 'simple',
    rendererOptions: { logger, timer: PRESET_TIMER, collapseErrors: false },
  });
  try {
    await list.run();
  } catch (error) {
    if (!(error instanceof ShownEnd)) throw error;
  }
}

/** Shows each text once: the list keeps all of them. */
export function showOnce(show: (text: string) => void): (text: string) => void {
  const shown = new Set(['']);
  return (text) => {
    if (shown.has(text)) return;
    shown.add(text);
    show(text);
  };
}
