import { ADDRESS_FILE } from '../../dev/data-folder.ts';
import { shellWord } from '../shell-word.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import type { DevEnvironment } from '../../dev/dev-environment.ts';
import { startLocalDeployment } from './local-deployment.ts';
import { RECIPIENT_DOMAIN } from '../../dev/world/world-zones.ts';

export interface DevOptions {
  readonly data: string;
  /** Where notifications to the backend are posted. @default SENDOFF_NOTIFICATION_URL */
  readonly notify?: string;
}

/** Runs a local deployment until Ctrl-C. Resolves with the exit code. */
export async function runDev(
  { data: dataFolder, notify: notifyUrl }: DevOptions,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const interrupted = untilInterrupted();
  const dev = await startLocalDeployment(
    { dataFolder, environment, settings: ownSettings(environment), notifyUrl },
    interrupted,
  );
  if (typeof dev === 'number') return dev;
  process.stdout.write(`${instructions(dev, dataFolder)}\n`);
  try {
    await Promise.race([interrupted, dev.run]);
  } finally {
    await dev.stop();
  }
  return 0;
}

/** Enough for a few checks; AGENTS_MD_CONTACT names a real contact for more. */
const CONTACT_DEFAULT = 'sendoff-dev@localhost';

function ownSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(environment).flatMap(([name, value]) =>
    /^(AGENTS_MD|SENDOFF_SETUP|SENDOFF_NOTIFICATION)_/.test(name) && value !== undefined && value.trim() !== ''
      ? [[name, value] as const]
      : [],
  );
  return { AGENTS_MD_CONTACT: CONTACT_DEFAULT, ...Object.fromEntries(own) };
}

function instructions(dev: DevEnvironment, dataFolder: string): string {
  const flag = `--data ${shellWord(dataFolder)}`;
  return `
  HTTP API       ${dev.apiUrl}   (bearer token: apiToken in ${dev.folder.inside(ADDRESS_FILE)})
  Email service  ${dev.emailServiceUrl}
  Temporal       ${dev.temporal.address}, Namespaces ${dev.temporal.namespace}, ${dev.backgroundNamespace} (notifications and other background work) and ${dev.emailServiceNamespace} (email service)
  Temporal UI    ${dev.temporal.uiUrl ?? 'unknown: the server of TEMPORAL_ADDRESS'}
  DNS            ${dev.world.dns.address}   (authoritative for every name under .test)
  Mail           ${dev.world.mail.host}:${dev.world.mail.port}   (accepts mail for ${RECIPIENT_DOMAIN}; stored in ${dev.folder.inside('mail')})
  Notifications  ${notifications(dev, flag)}
  Log            ${dev.logFile}

  Onboard a tenant, and publish its DNS records from another terminal:
    sendoff onboard ${flag} --tenant t1 --domain t1.test --from hello@t1.test --to ada@${RECIPIENT_DOMAIN} --subject Hello --body 'It works.'
    sendoff publish t1 ${flag}
  Check an AGENTS.md:
    sendoff agents-md check ${flag} --org temporalio --repo sdk-typescript

  Press Ctrl-C to stop.`;
}

function notifications({ notifiesBackend, folder }: DevEnvironment, flag: string): string {
  if (!notifiesBackend)
    return 'off; to post them to a server of yours: sendoff dev --notify http://127.0.0.1:3000/hooks';
  return `posted, signed with notificationSecret in ${folder.inside(ADDRESS_FILE)}; see them with: sendoff notifications list ${flag}`;
}
