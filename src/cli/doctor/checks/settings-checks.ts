import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../../config.ts';
import { readEmailServiceConfig } from '../../../email-service/config.ts';
import { readTemporalConfig } from '../../../lib/temporal/temporal-config.ts';
import { hasSettings } from '../../has-settings.ts';
import { type Diagnosis, messageOf, ok, problem } from '../check.ts';
import { check } from '../doctor-context.ts';

export const settingsCheck = check('settings', async ({ environment }) => {
  if (hasSettings(environment, 'SENDOFF_', 'EMAIL_PROVIDER_'))
    return readable(() => [readConfig(environment), readTemporalConfig(environment)]);
  const file = resolve('.env');
  return problem(
    `no SENDOFF_ or EMAIL_PROVIDER_ variable is set, and ${file} ${existsSync(file) ? 'sets none' : 'does not exist'}`,
    'Run the command in the folder of the .env file that the server and the Worker read',
  );
});

export const emailServiceSettingsCheck = check('email service settings', async ({ environment }) =>
  readable(() => readEmailServiceConfig(environment)),
);

function readable(read: () => unknown): Diagnosis {
  try {
    read();
    return ok('all are valid');
  } catch (error) {
    return problem(oneLine(messageOf(error)), 'Correct the settings; docs/settings.md explains each');
  }
}

/** Each setting has its own paragraph, with an example below. */
const oneLine = (paragraphs: string): string => paragraphs.replace(/\n\s+/g, ' For example: ').replace(/\n/g, ' | ');
