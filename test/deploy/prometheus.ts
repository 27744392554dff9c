// Debian: apt-get install prometheus
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { bareEnvironment, superviseProcess } from '../deployment/supervised-process.ts';
import { observeFolder } from './observed.ts';

export const hasPrometheus =
  process.env['CI'] !== undefined || spawnSync('prometheus', ['--version']).error === undefined;

export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
  readonly value: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Prometheus {
  /** Of the rules of deploy/observe. */
  readonly alerts: (name: string) => Promise<readonly ActiveAlert[]>;
  readonly stop: () => Promise<void>;
}

/** Prometheus with the rules of deploy/observe, whose waits are seconds, reads these instead of what DNS names. @param targets `host:port` of each */
export async function startPrometheus(folder: string, targets: readonly string[]): Promise<Prometheus> {
  await mkdir(folder);
  const shipped = parse(readFileSync(join(observeFolder, 'prometheus.yaml'), 'utf8')) as {
    rule_files: string[];
    scrape_configs: { job_name: string }[];
  };
  const config = {
    ...shipped,
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    scrape_configs: shipped.scrape_configs.map((each) => ({
      job_name: each.job_name,
      static_configs: [{ targets }],
    })),
  };
  for (const file of shipped.rule_files) {
    const rules = readFileSync(join(observeFolder, file), 'utf8');
    await writeFile(join(folder, file), rules.replaceAll(/^( +for:) \d+m$/gm, '$1 10s'));
  }
  // YAML has all of JSON.
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const program = superviseProcess({
    ...{ name: 'Prometheus', executable: 'prometheus', folder, environment: bareEnvironment() },
    args: ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=${address}`],
    log: () => undefined,
  });
  return {
    async alerts(name) {
      const answer = await fetch(`http://${address}/api/v1/alerts`).catch(() => undefined);
      const { data } = ((await answer?.json()) ?? {}) as { data?: { alerts: readonly ActiveAlert[] } };
      return (data?.alerts ?? []).filter(({ labels }) => labels['alertname'] === name);
    },
    stop: () => program.stop(),
  };
}
