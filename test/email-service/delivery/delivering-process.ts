// Delivers one message to each port, as a process of the email service does, and prints the results.
import { pino } from 'pino';
import { createDeliverMessage } from '../../../src/email-service/delivery/deliver-message.ts';
import { createPolicyClient } from '../../../src/email-service/delivery/fetch-mta-sts-policy.ts';
import { createFindMtaStsPolicy } from '../../../src/email-service/delivery/find-mta-sts-policy.ts';
import { createIdleSessions } from '../../../src/email-service/delivery/idle-sessions.ts';
import { createMailResolver, createMailRouter } from '../../../src/email-service/delivery/mail-route.ts';
import { mtaStsPolicies } from '../../../src/email-service/store/mta-sts-policies.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { context, message } from '../support/deliver-over-smtp.ts';

const [databaseUrl = '', dnsAddress = '', policyPort, ...smtpPorts] = process.argv.slice(2);
const store = await openStore(databaseUrl);
const resolver = createMailResolver([dnsAddress]);
const client = createPolicyClient({ resolver, mayConnectTo: () => true, port: Number(policyPort) });
const policies = mtaStsPolicies(store);
const logger = pino({ level: 'silent' });
const findPolicy = createFindMtaStsPolicy({ resolver, client, policies, now: () => new Date(), logger });
const idleSessions = createIdleSessions();
const findMailRoute = createMailRouter(resolver, () => true, findPolicy);
for (const smtpPort of smtpPorts.map(Number)) {
  const deliver = createDeliverMessage({ smtpPort, smtpRelayUrl: undefined, findMailRoute, idleSessions });
  process.stdout.write(`${JSON.stringify(await deliver(message, context()))}\n`);
}
idleSessions.close();
await client.close();
await store.destroy();
