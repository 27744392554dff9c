// Erases a recipient as POST /erasures does, in a process that a test can kill.
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { eraseRecipient } from '../../../src/email-service/store/erasures.ts';
import { createSealer } from '../../../src/lib/sealing.ts';

const [databaseUrl = '', accountId = '', recipient = '', sealingKey = ''] = process.argv.slice(2);
const store = await openStore(databaseUrl);
const sealer = createSealer([Buffer.from(sealingKey, 'base64')]);
await eraseRecipient(store, sealer, { accountId, recipient, by: 'test', now: () => new Date() });
await store.destroy();
