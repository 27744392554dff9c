// Publishes fifty records of its own, one after another, as soon as it is told to.
import { once } from 'node:events';
import { openZoneStore } from '../../../src/dev/world/zone-store.ts';

const [file = '', name = ''] = process.argv.slice(2);
const store = openZoneStore([], file);
const told = once(process, 'message');
process.send?.('ready');
await told;
for (let at = 0; at < 50; at += 1) store.publish([{ type: 'TXT', name, value: String(at) }]);
process.disconnect();
