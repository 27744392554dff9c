import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { request, WebSocket } from 'undici';
import type { Program } from '../deployment/start-deployment.ts';
import { usageOf } from '../../bench/process-usage.ts';

/** What one program holds at one moment. */
export interface MemorySample {
  /** Since the first. */
  readonly minute: number;
  readonly program: string;
  readonly rssMb: number;
  /** Of the main thread, after a garbage collection. */
  readonly heapMb: number;
  readonly descriptors: number;
}

const MINUTE_MS = 60_000;
const MB = 2 ** 20;

/** Samples every program now and after each minute. */
export async function sampleMemory(
  programs: readonly Program[],
  minutes: number,
  { report, signal }: { readonly report: (line: string) => void; readonly signal: AbortSignal },
): Promise<readonly MemorySample[]> {
  const samples: MemorySample[] = [];
  for (let minute = 0; ; minute += 1) {
    for (const program of programs) {
      const heapMb = (await heapAfterCollection(program)) / MB;
      const pid = program.pid();
      const rssMb = (usageOf([{ name: program.name, pid }]).get(program.name)?.rssBytes ?? NaN) / MB;
      samples.push({
        ...{ minute, program: program.name, rssMb, heapMb },
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
      });
    }
    report(samples.slice(-programs.length).map(shownSample).join('\n'));
    if (minute === minutes) return samples;
    await delay(MINUTE_MS, undefined, { signal });
  }
}

export const shownSample = ({ minute, program, rssMb, heapMb, descriptors }: MemorySample): string =>
  `${String(minute).padStart(3)} min  ${program.padEnd(20)} ${rssMb.toFixed(0).padStart(5)} MB resident  ` +
  `${heapMb.toFixed(1).padStart(6)} MB heap  ${String(descriptors).padStart(4)} descriptors`;

/** In bytes; by the inspector, which `inspected` of the deployment has started. */
async function heapAfterCollection({ name, inspectorPort }: Program): Promise<number> {
  if (inspectorPort === undefined) throw new Error(`${name} runs without its inspector`);
  const { body } = await request(`http://127.0.0.1:${inspectorPort}/json/list`);
  const [target] = (await body.json()) as { readonly webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`The inspector of ${name} shows no process`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    return await new Promise((resolve, reject) => {
      socket.addEventListener('error', ({ message }) => {
        reject(new Error(`The inspector of ${name}: ${message}`));
      });
      socket.addEventListener('open', () => {
        socket.send('{"id":1,"method":"HeapProfiler.collectGarbage"}');
        socket.send('{"id":2,"method":"Runtime.getHeapUsage"}');
      });
      socket.addEventListener('message', ({ data }) => {
        const { id, result } = JSON.parse(String(data)) as { id?: number; result?: { usedSize: number } };
        if (id === 2) resolve(result?.usedSize ?? NaN);
      });
    });
  } finally {
    socket.close();
  }
}
