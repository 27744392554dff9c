// The environment variables of the programs in a local deployment.
import { hkdfSync } from 'node:crypto';
import type { DataFolder } from './data-folder.ts';
import type { World } from './world/start-world.ts';

const dnsSettings = ({ dns }: World) => ({
  DNS_RESOLVERS: dns.address,
  DNS_PORT: String(dns.port),
  ALLOW_PRIVATE_ADDRESSES: 'true',
});

/** @param port 0 for any free one */
export const localEmailServiceSettings = ({ inside, saved }: DataFolder, world: World, { port }: { port: number }) => ({
  EMAIL_SERVICE_PORT: String(port),
  EMAIL_SERVICE_DATABASE_URL: `file:${inside('email-service.db')}`,
  EMAIL_SERVICE_OPERATOR_TOKEN: saved.operatorToken,
  EMAIL_SERVICE_ENCRYPTION_KEY: saved.encryptionKey,
  EMAIL_SERVICE_HOSTNAME: 'mail.sendoff.test',
  EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
  EMAIL_SERVICE_SMTP_PORT: String(world.mail.port),
  ...dnsSettings(world),
});

export const localOrchestratorSettings = (
  { inside, saved }: DataFolder,
  world: World,
  { port, providerUrl }: { port: number; providerUrl: string },
) => ({
  SENDOFF_API_TOKEN: saved.apiToken,
  SENDOFF_SECRET_KEY: saved.secretKey,
  SENDOFF_DATABASE_URL: `file:${inside('sendoff.db')}`,
  SENDOFF_PORT: String(port),
  SENDOFF_PUBLIC_URL: `http://127.0.0.1:${port}`,
  EMAIL_PROVIDER_URL: providerUrl,
  EMAIL_PROVIDER_OPERATOR_TOKEN: saved.operatorToken,
  ...dnsSettings(world),
});

/** The same for a data folder as long as it exists, so that a receiver need not be configured again. */
export const localNotificationSecret = ({ saved }: DataFolder): string => {
  const key = Buffer.from(saved.secretKey, 'base64');
  return `whsec_${Buffer.from(hkdfSync('sha256', key, '', 'sendoff/dev-notifications', 32)).toString('base64')}`;
};
