// Takes reports in a process that a test can kill: it prints its port, and `recording` before each transaction.
import { startInbound } from '../../../src/email-service/inbound/start-inbound.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { processParts } from '../support/process-parts.ts';

const [databaseUrl = '', key = ''] = process.argv.slice(2);
const { port } = await startInbound(
  {
    ...processParts({ store: await openStore(databaseUrl), sealer: createSealer([Buffer.from(key, 'base64')]) }),
    now: () => {
      process.stdout.write('recording\n');
      return new Date();
    },
  },
  { host: '127.0.0.1', port: 0, hostname: 'mail.sendoff.test' },
);
process.stdout.write(`port ${String(port)}\n`);
