import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FarEnd, Held } from '../../conformance/far-end.ts';
import { startDevEnvironment } from '../../dev/dev-environment.ts';
import { toZoneRecords } from '../../dev/world/zone-record.ts';
import { createHttpEmailProvider } from '../../email-provider/adapters/sendoff/sendoff-provider.ts';
import { openTogether } from '../../lib/closers.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { createAuthoritativeResolver } from '../../lib/dns/resolver/authoritative-resolver.ts';
import { type UndoableRow, undoableRows } from '../../onboarding/steps.ts';
import { heldAtProvider } from '../local/held-at-provider.ts';

/** The email service answers within milliseconds, and delivers within a second. */
const PAUSE_MS = 200;

const ofEachStep = (count: (step: UndoableRow['step']) => number): Held =>
  Object.fromEntries(undoableRows.map(({ step, listedIn }) => [listedIn, count(step)]));

/** Our email service, with a DNS server and a mail receiver on loopback, as `sendoff dev` starts them. */
export const openEmbedded = (environment: NodeJS.ProcessEnv, report: (line: string) => void): Promise<FarEnd> =>
  openTogether(async (closers) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'sendoff-conformance-'));
    closers.add(() => rm(dataFolder, { recursive: true, force: true }));
    const dev = await startDevEnvironment({ dataFolder, environment, report, isTemporary: true });
    closers.add(() => dev.stop());
    const { dns, mail } = dev.world;
    const { operatorToken } = dev.folder.saved;
    const resolver = createAuthoritativeResolver({ resolvers: [dns.address], port: dns.port, mayAsk: () => true });
    return {
      kind: 'embedded',
      provider: undefined,
      url: dev.emailServiceUrl,
      connect: (baseUrl) => ({ provider: createHttpEmailProvider({ baseUrl, operatorToken }) }),
      checkRecords: (domain, expected) => checkRecords(resolver, domain, expected),
      credential: operatorToken,
      // One key is the tenant's, the other sendoff's own.
      whole: { ...ofEachStep(() => 1), 'api-keys': 2, emails: 1 },
      domain: (label) => `${label}.test`,
      recipient(label, ending) {
        const recipient = `${ending}+${label}@inbox.test`;
        if (ending === 'bounced')
          mail.refuse({ recipient, reply: { code: 550, enhanced: '5.1.1', text: 'No such user' } });
        return ending === 'deferred' ? undefined : recipient;
      },
      async publish(_domain, records) {
        dns.publish(toZoneRecords(records));
      },
      async held({ tenantId, recipient }) {
        const held = await heldAtProvider({ url: dev.emailServiceUrl, operatorToken }, tenantId);
        return {
          ...ofEachStep((step) => held[step].length),
          'api-keys': held.issueApiKey.length + held.ownKey.length,
          emails: mail.received().filter(({ to }) => to.includes(recipient)).length,
        };
      },
      pause: () => sleep(PAUSE_MS),
      close: closers.close,
    };
  });
