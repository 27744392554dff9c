import { EMBEDDED } from '../../../onboarding/provider-name.ts';
import { providersWith, providerSettings, requiredSettings } from '../../../provider-settings.ts';
import { settingText } from '../../../lib/settings.ts';
import { countRunning } from '../../../store/onboarding/running-tenants.ts';
import { ok, problem } from '../check.ts';
import { check, type DoctorContext, needed } from '../doctor-context.ts';

const TOKEN = 'EMAIL_PROVIDER_OPERATOR_TOKEN';
const required = { ...requiredSettings, [EMBEDDED]: [TOKEN] };

/** An onboarding stays at the provider that it began with, also after EMAIL_PROVIDER names another one. */
export const providersCheck = check('onboardings at providers', async (context) => {
  const configured = await configuredProviders(context);
  const { database } = await context.database();
  const running = new Map<keyof typeof required, number>();
  for (const { provider, onboardings } of await needed('database', () => countRunning(database, new Date())))
    running.set(provider, (running.get(provider) ?? 0) + onboardings);
  if (running.size === 0) return ok('no onboarding runs');
  const counts = `running onboardings: ${[...running].map(([name, count]) => `${count} at ${name}`).join(', ')}`;
  const left = [...running.keys()].filter((name) => !configured.has(name));
  if (left.length === 0) return ok(counts);
  return problem(
    `${counts}. Those at ${left.join(' and ')} stand still, because settings are missing`,
    `Set these on each server and Worker until no onboarding runs there: ${left.map((name) => required[name].join(', ')).join('; ')}`,
  );
});

async function configuredProviders(context: DoctorContext): Promise<ReadonlySet<keyof typeof required>> {
  const token = await needed('settings', () => settingText(TOKEN, providerSettings[TOKEN], context.environment));
  const accounts = await context.accountSettings();
  return new Set([...providersWith(accounts), ...(token === undefined ? [] : ([EMBEDDED] as const))]);
}
