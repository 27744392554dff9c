import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { alerts, dashboards, expressions, observeFolder } from './observed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const operating = readFileSync(join(observeFolder, '../../docs/operating.md'), 'utf8');
const hasPromtool = process.env['CI'] !== undefined || spawnSync('promtool', ['--version']).error === undefined;
const promtool = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: observeFolder, encoding: 'utf8' });

// Debian: apt-get install prometheus
describe.skipIf(!hasPromtool)('promtool', () => {
  test('accepts the configuration and the rules, which fire as their tests say', () => {
    expect(promtool('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  });

  test('can read the expression of every panel', () => {
    const folder = temporaryFolder();
    const rules = [...expressions.values()].map((expr, index) => ({
      record: `panel:${String(index)}`.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    writeFileSync(join(folder, 'panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool('check', 'rules', join(folder, 'panels.yaml'))).toContain('SUCCESS');
  });
});

test('every alert has a test, a row in docs/operating.md, and a runbook that exists', () => {
  const tested = readFileSync(join(observeFolder, 'alerts.test.yaml'), 'utf8');
  const names = [...new Set(alerts.map(({ alert }) => alert))];
  for (const name of names) expect(tested, name).toContain(name);
  const documented = operating.slice(
    operating.indexOf('\n## Alerts\n'),
    operating.indexOf('\n### Emails do not go out'),
  );
  expect([...documented.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).sort()).toEqual(names.sort());
  const anchors = [...operating.matchAll(/^##+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  for (const { alert, annotations } of alerts) {
    const { runbook_url: runbook = '' } = annotations;
    const [, anchor] =
      /^https:\/\/github\.com\/OWNER\/sendoff\/blob\/main\/docs\/operating\.md#(.+)$/.exec(runbook) ?? [];
    expect(anchors, alert).toContain(anchor);
  }
});

test('three dashboards read the data source that is provisioned', () => {
  const { datasources } = parse(
    readFileSync(join(observeFolder, 'grafana/provisioning/datasources/prometheus.yaml'), 'utf8'),
  ) as { datasources: { uid: string }[] };
  expect(dashboards).toHaveLength(3);
  for (const { title, panels } of dashboards) {
    expect(new Set(panels.map(({ id }) => id)).size, title).toBe(panels.length);
    for (const { datasource } of panels) expect(datasource.uid).toBe(datasources[0]?.uid);
  }
});
