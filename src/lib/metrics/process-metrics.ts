import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gauge, sampled } from './metrics.ts';

const buildInfo = gauge<{ readonly version: string; readonly build_id: string }>(
  'sendoff_build_info',
  'The release that the process runs; the value is always 1.',
);
const delay = gauge<{ readonly quantile: '0.99' | '1' }>(
  'sendoff_event_loop_delay_seconds',
  'How late timers of the process were in the last ten seconds, beyond the ten milliseconds that they wait.',
);

const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;

/** @param buildId of versioned Workers; empty if they are not */
export function measureProcess(version: string, buildId: string): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  sampled(() => {
    buildInfo.set(1, { version, build_id: buildId });
    const seconds = (value: number): number => Math.max(0, value / NANOSECONDS - RESOLUTION_MS / 1_000) || 0;
    delay.set(seconds(delays.percentile(99)), { quantile: '0.99' });
    delay.set(seconds(delays.max), { quantile: '1' });
    delays.reset();
  });
}
