// The packaged command, against the embedded email service.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TargetReport } from '../../src/conformance/report.ts';
import { resultsOn } from '../../src/conformance/results-on-page.ts';
import { sendoff } from './running-sendoff.ts';

test('every case holds at the embedded email service, as docs/providers.md says', async () => {
  const { code, stdout, stderr } = await sendoff('conformance', '--provider', 'sendoff', '--json');
  const { reports } = JSON.parse(stdout) as { reports: TargetReport[] };
  const failed = reports.flatMap(({ cases }) => cases.filter(({ verdict }) => verdict === 'failed'));
  expect(failed, stderr.slice(-2_000)).toEqual([]);
  expect(code).toBe(0);
  const page = resultsOn(readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8')).get('embedded');
  expect([...(page ?? [])]).toEqual(reports[0]?.cases.map(({ name, verdict }) => [name, verdict]));
}, 900_000);
