// The background in a process that a test can kill; its argument names the database and Temporal server.
import { pino } from 'pino';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { startBackground } from '../../../src/email-service/background/background.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { defaultRetention } from '../support/default-retention.ts';

export interface BackgroundProcessInput {
  readonly databaseUrl: string;
  /** Base64. */
  readonly sealingKey: string;
  readonly temporalAddress: string;
  readonly dnsAddress: string;
  readonly smtpPort: number;
}

const input = JSON.parse(process.argv[2] ?? '') as BackgroundProcessInput;
const background = await startBackground({
  store: await openStore(input.databaseUrl),
  sealer: createSealer([Buffer.from(input.sealingKey, 'base64')]),
  settings: {
    hostname: 'mail.sendoff.test',
    smtpPort: input.smtpPort,
    smtpRelayUrl: undefined,
    allowPrivateAddresses: true,
    dnsResolvers: [input.dnsAddress],
    retention: defaultRetention,
  },
  resolver: createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [input.dnsAddress],
    port: Number(input.dnsAddress.split(':')[1]),
  }),
  logger: pino({ level: 'silent' }),
  temporal: { connectionOptions: { address: input.temporalAddress }, namespace: 'default' },
  orchestratorNamespace: 'default',
  now: () => new Date(),
  runsWorkers: true,
});
await background.run;
