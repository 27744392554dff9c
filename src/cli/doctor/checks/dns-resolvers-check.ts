import { randomInt } from 'node:crypto';
import { getServers } from 'node:dns';
import { AUTHENTIC_DATA, RECURSION_AVAILABLE, RECURSION_DESIRED, type DecodedPacket } from 'dns-packet';
import { encodeQuery } from '../../../lib/dns/resolver/ask-server.ts';
import { decodeMessage } from '../../../lib/dns/resolver/decode-message.ts';
import { parseServerAddress } from '../../../lib/dns/resolver/server-address.ts';
import { exchangeByTcp, exchangeByUdp } from '../../../lib/dns/resolver/wire-exchange.ts';
import { ok, problem, warning } from '../check.ts';
import { check } from '../doctor-context.ts';

const EXCHANGE_TIMEOUT_MS = 2_000;
/** Asked for if no host name of the email service says in which top-level domain to ask. */
const TOP_LEVEL_DOMAIN = 'com';

/** Asks every resolver, by UDP with EDNS and by TCP, for what each check of a domain begins with: a top-level domain's servers. */
export const dnsResolversCheck = check('DNS resolvers', async (context) => {
  const { DNS_RESOLVERS } = await context.settings('DNS_RESOLVERS');
  const resolvers = DNS_RESOLVERS ?? getServers();
  const question = topLevelDomainOf(context.environment['EMAIL_SERVICE_HOSTNAME']);
  const asked = await Promise.all(
    resolvers.map(async (resolver) => ({ resolver, ...(await askResolver(resolver, question)) })),
  );
  const faulty = asked.flatMap(({ resolver, fault }) => (fault === undefined ? [] : [`${resolver} ${fault}`]));
  const remedy = 'Set DNS_RESOLVERS to recursive resolvers that answer this machine by UDP and TCP';
  const isUsable = asked.some(({ fault }) => fault === undefined);
  if (!isUsable) return problem(faulty.join('; ') || 'no resolver is configured', remedy);
  if (faulty.length > 0) return warning(faulty.join('; '), remedy);
  const found = `${resolvers.join(', ')}: UDP with EDNS and TCP`;
  return asked.some(({ validates }) => validates)
    ? ok(`${found}, DNSSEC validated`)
    : warning(
        `${found}, but none validates DNSSEC: domains with broken signatures pass here and fail at receivers`,
        'Set DNS_RESOLVERS to at least one resolver that validates',
      );
});

const topLevelDomainOf = (hostname = ''): string => /[^.]+$/.exec(hostname.trim())?.[0] ?? TOP_LEVEL_DOMAIN;

async function askResolver(resolver: string, name: string): Promise<{ fault?: string; validates: boolean }> {
  const to = parseServerAddress(resolver);
  const id = randomInt(0x1_0000);
  // AD in a query asks for AD in the answer (RFC 6840 section 5.7).
  const query = encodeQuery(id, { name, type: 'NS', class: 'IN' }, RECURSION_DESIRED | AUTHENTIC_DATA, true);
  const read = (message: Buffer): DecodedPacket | undefined => {
    const packet = decodeMessage(message);
    return packet.flag_qr && packet.id === id ? packet : undefined;
  };
  const [udp, tcp] = await Promise.all([
    exchangeByUdp(to, query, read, EXCHANGE_TIMEOUT_MS),
    exchangeByTcp(to, query, read, EXCHANGE_TIMEOUT_MS),
  ]);
  if ('failure' in udp) return { fault: `does not answer by UDP (${udp.failure})`, validates: false };
  if ('failure' in tcp) return { fault: `does not answer by TCP (${tcp.failure})`, validates: false };
  const fault = faultOf(udp.reply, name);
  return { ...(fault === undefined ? {} : { fault }), validates: udp.reply.flag_ad };
}

function faultOf(packet: DecodedPacket, name: string): string | undefined {
  const flags = packet.flags ?? 0;
  if ((flags & 0xf) !== 0) return `answers with RCODE ${flags & 0xf} to the name servers of ${name}`;
  if ((flags & RECURSION_AVAILABLE) === 0) return 'is not recursive (RFC 1035, RA)';
  if (!packet.additionals?.some(({ type }) => type === 'OPT')) return 'does not support EDNS (RFC 6891)';
  return packet.answers?.some(({ type }) => type === 'NS') ? undefined : `knows no name servers of ${name}`;
}
