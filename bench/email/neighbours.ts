import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { atRate } from '../at-rate.ts';
import { createCaller } from '../caller.ts';
import { startInfrastructure } from '../infrastructure.ts';
import type { Bench, Figures, Lines } from '../scenario.ts';
import { startProcess } from '../start-process.ts';
import { percentile } from '../statistics.ts';
import { createSenders, RECIPIENT_DOMAINS, startMailDns } from './senders.ts';
import { startSmtpSink } from './smtp-sink.ts';
import { startEmailService } from './start-email-service.ts';

const ACCOUNTS = 20;
/** Of all neighbours together: a fraction of what the two processes can deliver. */
const PER_SECOND = 20;
const FLOOD = { CONNECTIONS: '50', EMAILS: '100000' };
/** The default. */
const LIMITS = '600/minute,10000/hour,50000/day';
const PER_MINUTE = 600;

/**
 * Two processes on one database. All accounts but one send at a constant rate, first alone, then while the last one sends to dead
 * addresses as fast as it is answered, which exceeds its limit and pauses it.
 */
export async function measureNeighbours(bench: Bench): Promise<Lines> {
  const { quick, signal, closers } = bench;
  const infrastructure = await startInfrastructure(bench);
  const [dns, sink] = await Promise.all([startMailDns(bench), startSmtpSink()]);
  closers.add(() => sink.close());
  const options = { role: 'all', dnsPort: dns.port, smtpPort: sink.port, sendingLimits: LIMITS } as const;
  const first = await startEmailService(bench, infrastructure, options);
  const services = [first, await startEmailService(bench, infrastructure, { ...options, beside: first })];
  const [flooding, ...neighbours] = await createSenders(bench, first, dns, ACCOUNTS);
  if (flooding === undefined) throw new Error('There is no sender');
  const senders = neighbours.map(({ id, caller: { token } }) => ({
    id,
    callers: services.map(({ url }) => createCaller({ url, token })),
  }));
  closers.add(() => Promise.all(senders.flatMap(({ callers }) => callers.map((caller) => caller.close()))));

  const delivered = new Map<string, () => void>();
  sink.onMessage((recipient) => delivered.get(recipient)?.());
  let number = 0;
  const deliveredMs: number[] = [];
  async function post(): Promise<void> {
    number += 1;
    const { id, callers } = senders[number % senders.length] ?? {};
    const recipient = `ada-${number}@${RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length] ?? ''}`;
    const begun = performance.now();
    delivered.set(recipient, () => {
      deliveredMs.push(performance.now() - begun);
      delivered.delete(recipient);
    });
    await callers?.[number % callers.length]?.post(
      ...(['/emails', { sender_id: id, recipient, subject: 'Hi', body: 'It works.\n'.repeat(50) }] as const),
      { 'idempotency-key': randomUUID() },
    );
  }
  const measure = async (warmUpMs: number, measuredMs: number): Promise<Figures> => {
    const tookMs = await atRate({ perSecond: PER_SECOND, signal, warmUpMs, measuredMs, runOne: post });
    const until = deliveredMs.splice(0);
    return {
      'p50 ms': percentile(tookMs, 50),
      'p99 ms': percentile(tookMs, 99),
      'p50 ms until delivered': percentile(until, 50),
      'p99 ms until delivered': percentile(until, 99),
    };
  };

  const alone = await measure(quick ? 5_000 : 10_000, quick ? 15_000 : 60_000);
  const flooder = createCaller({ url: await startFlooder(bench, services, flooding), token: '' });
  closers.add(() => flooder.close());
  await flooder.post('/flood', {});
  const beside = await measure(0, quick ? 15_000 : 60_000);
  const answers = (await flooder.get('/flood')) as Readonly<Partial<Record<string, number>>>;
  const accepted = answers['202'] ?? 0;
  const { status } = (await first.operator.get('/accounts/account-0')) as { status: string };
  if (status !== 'paused') throw new Error('The account was not paused');
  const flooded = Object.values(answers).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  if (!quick && flooded !== Number(FLOOD.EMAILS)) throw new Error(`Only ${flooded} emails were sent`);
  if (accepted > 1.01 * PER_MINUTE * 2) throw new Error(`${accepted} emails were accepted in two minutes`);
  return {
    alone,
    'beside the flood': {
      ...beside,
      'accepted of the flood': accepted,
      'refused of it': flooded - accepted,
    },
  };
}

async function startFlooder(
  bench: Bench,
  services: readonly { readonly url: string }[],
  { id, caller }: { readonly id: string; readonly caller: { readonly token: string } },
): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = fileURLToPath(new URL('flooder.ts', import.meta.url));
  const urls = services.map((service) => service.url).join(' ');
  const settings = { ...FLOOD, PORT: String(port), URLS: urls, TOKEN: caller.token, SENDER_ID: id };
  await startProcess({ name: 'flooder', args: ['--import', 'tsx', main], settings, url }, bench);
  return url;
}
