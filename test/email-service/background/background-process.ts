// The background in a process that a test can kill, given to Node as text, in which no import of a file resolves but those of types; its
// argument names the database and Temporal server. For each message it commits the outbox row of an email as POST /emails does. It runs the
// built package, because sources would bundle their Workflows at each start.
import { pino } from 'pino';
import type * as AuthoritativeResolver from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type * as Background from '../../../src/email-service/background/background.ts';
import type * as OpenStore from '../../../src/email-service/store/open-store.ts';
import type * as Outbox from '../../../src/email-service/store/outbox.ts';
import type * as Sealing from '../../../src/lib/sealing.ts';
import type * as Transactions from '../../../src/lib/sql/transactions.ts';

export interface BackgroundProcessInput {
  /** URL of the built package's folder `dist/`. */
  readonly dist: string;
  readonly databaseUrl: string;
  /** Base64. */
  readonly sealingKey: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly dnsAddress: string;
  readonly settings: Background.BackgroundSettings;
}

export interface EmailToBegin {
  readonly emailId: string;
  /** False as if the process was killed between the commit and the attempt. */
  readonly begin: boolean;
}

const input = JSON.parse(process.argv[1] ?? '') as BackgroundProcessInput;
const built = <T>(module: string): Promise<T> => import(`${input.dist}${module}.js`) as Promise<T>;
const { createAuthoritativeResolver } = await built<typeof AuthoritativeResolver>(
  'lib/dns/resolver/authoritative-resolver',
);
const { startBackground } = await built<typeof Background>('email-service/background/background');
const { openStore } = await built<typeof OpenStore>('email-service/store/open-store');
const { addToOutbox, deliverEmailStart } = await built<typeof Outbox>('email-service/store/outbox');
const { createSealer } = await built<typeof Sealing>('lib/sealing');
const { inTransaction } = await built<typeof Transactions>('lib/sql/transactions');

const store = await openStore(input.databaseUrl);
const background = await startBackground({
  store,
  sealer: createSealer([Buffer.from(input.sealingKey, 'base64')]),
  settings: input.settings,
  resolver: createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [input.dnsAddress],
    port: Number(input.dnsAddress.split(':')[1]),
  }),
  logger: pino({ level: 'silent' }),
  temporal: { connectionOptions: { address: input.temporalAddress }, namespace: input.temporalNamespace },
  databaseUrl: input.databaseUrl,
  now: () => new Date(),
  runsWorkers: true,
});
process.on('message', ({ emailId, begin }: EmailToBegin) => {
  const start = deliverEmailStart(emailId);
  void inTransaction(store, (transaction) => addToOutbox(transaction, [start], new Date(), { claimed: true })).then(
    () => {
      if (begin) background.begin({ start, accountId: 'acc_1', destination: 'inbox.test' });
      process.send?.({ committed: emailId });
    },
  );
});
process.send?.({ ready: true });
await background.run;
