// The background in a process that a test can kill; its argument names the database and Temporal server. For each message it commits
// the outbox row of an email as POST /emails does.
import { pino } from 'pino';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { startBackground } from '../../../src/email-service/background/background.ts';
import { addToOutbox, deliverEmailStart } from '../../../src/email-service/store/outbox.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
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

export interface EmailToBegin {
  readonly emailId: string;
  /** False as if the process was killed between the commit and the attempt. */
  readonly begin: boolean;
}

const input = JSON.parse(process.argv[2] ?? '') as BackgroundProcessInput;
const store = await openStore(input.databaseUrl);
const background = await startBackground({
  store,
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
process.on('message', ({ emailId, begin }: EmailToBegin) => {
  const start = deliverEmailStart(emailId);
  void inTransaction(store, (transaction) => addToOutbox(transaction, start, new Date(), { claimed: true })).then(
    () => {
      if (begin) background.begin({ start, accountId: 'acc_1', destination: 'inbox.test' });
      process.send?.({ committed: emailId });
    },
  );
});
process.send?.({ ready: true });
await background.run;
