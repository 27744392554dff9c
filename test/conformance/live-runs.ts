import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type ConformanceOptions, runConformance } from '../../src/cli/conformance/run-conformance.ts';
import { FAKE_KEY, type FakeResend, startFakeResend } from '../../src/conformance/fakes/fake-resend.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** In the provider's place; it finds no records. */
export let resend: FakeResend;
export let folder: string;
/** By the latest run. */
export let printed: string;

/** Opens a simulated Resend and a folder before each test of this file. */
export function useLiveRuns(): void {
  beforeEach(async () => {
    resend = await startFakeResend({ isPublished: () => false });
    folder = temporaryFolder();
  });
  afterEach(() => resend.close());
}

/** Runs `sendoff conformance`, and returns its exit code. */
export function run(
  options: ConformanceOptions,
  {
    environment = { RESEND_API_KEY: FAKE_KEY, RESEND_URL: resend.baseUrl, RESEND_REQUESTS_PER_SECOND: '1000' },
    agrees = true,
  }: { environment?: NodeJS.ProcessEnv; agrees?: boolean } = {},
): Promise<number> {
  printed = '';
  return runConformance(options, {
    environment,
    write: (text) => (printed += text),
    report: () => undefined,
    ask: () => Promise.resolve(agrees),
    journal: join(folder, 'journal.jsonl'),
  });
}
