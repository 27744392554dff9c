import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const observeFolder = fileURLToPath(new URL('../../deploy/observe', import.meta.url));
const dashboardFolder = join(observeFolder, 'grafana/dashboards');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export const alerts: readonly Alert[] = (
  parse(readFileSync(join(observeFolder, 'alerts.yaml'), 'utf8')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  }[];
}

export const dashboards: readonly Dashboard[] = readdirSync(dashboardFolder).map(
  (name) => JSON.parse(readFileSync(join(dashboardFolder, name), 'utf8')) as Dashboard,
);

/** Each expression by where it is. */
export const expressions: ReadonlyMap<string, string> = new Map([
  ...alerts.map(({ alert, expr }) => [`${alert}: ${expr}`, expr] as const),
  ...dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) => panel.targets.map(({ expr }) => [`${title}, ${panel.title}: ${expr}`, expr] as const)),
  ),
]);
