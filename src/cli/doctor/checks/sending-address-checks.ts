import type { Resolver } from 'node:dns/promises';
import type { DnsQuestion } from '../../../lib/dns/resolver/answer.ts';
import { evaluateSpf, type KnownDns } from '../../../lib/dns/spf/evaluate-spf.ts';
import { reverseName } from '../../../lib/dns/spf/spf-macro.ts';
import { networkAt } from '../../../lib/dns/spf/spf-network.ts';
import { type Diagnosis, CannotCheck, ok, problem, warning } from '../check.ts';
import { answersOf, resolverOf } from '../dns-answers.ts';
import { check, type DoctorContext } from '../doctor-context.ts';

/** RFC 7208 allows ten lookups, some of which have a second one for the addresses of their hosts. */
const SPF_ROUNDS_MAX = 30;

/** Receivers refuse mail from an address whose PTR record and EHLO name do not confirm each other. */
export const reverseDnsCheck = check('reverse DNS', async (context) => {
  const { hostname, addresses, resolver } = await sendingAddresses(context);
  const forward = await addressesOf(resolver, hostname);
  if (forward.length === 0)
    return problem(
      `EMAIL_SERVICE_HOSTNAME ${hostname} has no address`,
      `Publish an A record of ${hostname} with the address that mail leaves from`,
    );
  for (const address of addresses) {
    if (!forward.includes(address))
      return problem(
        `EMAIL_SERVICE_HOSTNAME ${hostname} has the address ${forward.join(', ')}, mail leaves from ${address}`,
        `Publish an ${address.includes(':') ? 'AAAA' : 'A'} record: ${hostname} ${address}`,
      );
    const names = await answersOf(() => resolver.resolvePtr(reverseNameOf(address)));
    if (!names.some((name) => name.toLowerCase().replace(/\.$/, '') === hostname))
      return problem(
        `the PTR record of ${address} is ${names.join(', ') || 'missing'}, the EHLO name is ${hostname}`,
        `Let the owner of the address (your cloud or network provider) set its PTR record to ${hostname}`,
      );
  }
  return ok(`${addresses.join(', ')} and ${hostname} confirm each other`);
});

/** Resolver.reverse would read /etc/hosts. */
function reverseNameOf(address: string): string {
  const network = networkAt(address);
  if (network === undefined) throw new CannotCheck(`${address} is not an IP address`);
  return reverseName(network);
}

export const spfMechanismCheck = check('SPF mechanism', async (context) => {
  const { hostname, addresses, resolver } = await sendingAddresses(context);
  const { EMAIL_SERVICE_SPF_MECHANISM: mechanism } = await context.emailSettings('EMAIL_SERVICE_SPF_MECHANISM');
  if (addresses.length === 0) throw new CannotCheck('not checked: see reverse DNS');
  for (const address of addresses) {
    const finding = await spfFinding(mechanism, { hostname, address, resolver });
    if (finding.state !== 'ok') return finding;
  }
  return ok(`${mechanism} allows ${addresses.join(', ')}`);
});

interface Sender {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly resolver: Resolver;
}

/** Throws CannotCheck if nothing says from which address mail leaves. */
async function sendingAddresses(context: DoctorContext): Promise<Sender> {
  const settings = await context.emailSettings('EMAIL_SERVICE_HOSTNAME', 'SMTP_RELAY_URL', 'DNS_RESOLVERS');
  if (settings.SMTP_RELAY_URL !== undefined) throw new CannotCheck('mail leaves through the relay SMTP_RELAY_URL');
  const hostname = settings.EMAIL_SERVICE_HOSTNAME;
  const resolver = resolverOf(settings.DNS_RESOLVERS);
  const { sendingAddress } = context.options;
  const addresses = sendingAddress === undefined ? await addressesOf(resolver, hostname) : [sendingAddress];
  return { hostname, addresses, resolver };
}

/** As receivers of tenants' mail evaluate it: the tenant's record has this mechanism and rejects everything else. */
async function spfFinding(
  mechanism: string,
  { hostname, address, resolver }: Omit<Sender, 'addresses'> & { address: string },
): Promise<Diagnosis> {
  const client = networkAt(address);
  if (client === undefined) return problem(`${address} is not an IP address`, 'Correct --sending-address');
  const answers = new Map<string, readonly string[]>();
  const keyOf = ({ name, type }: DnsQuestion): string => `${name} ${type}`;
  const known: KnownDns = (question) => answers.get(keyOf(question));
  const question = { domain: hostname, record: `v=spf1 ${mechanism} -all`, client, known };
  for (let round = 0; round < SPF_ROUNDS_MAX; round += 1) {
    const evaluation = evaluateSpf(question);
    if (evaluation.kind === 'unread') {
      for (const each of evaluation.questions) answers.set(keyOf(each), await lookUp(resolver, each));
      continue;
    }
    if (evaluation.kind === 'decided' && evaluation.passes) return ok('');
    const remedy = `Set EMAIL_SERVICE_SPF_MECHANISM to a mechanism that allows ${address}, and let tenants update their SPF records`;
    if (evaluation.kind === 'decided') return problem(`${mechanism} does not allow ${address}`, remedy);
    if (evaluation.kind === 'permanentError')
      return problem(`${mechanism} has an SPF error at ${evaluation.name}: ${evaluation.error}`, remedy);
    return warning(`${mechanism} depends on more than the address ${address}`, remedy);
  }
  return warning(`${mechanism} needs more than ${SPF_ROUNDS_MAX} DNS lookups`, 'Name the addresses with ip4: and ip6:');
}

async function lookUp(resolver: Resolver, { name, type }: DnsQuestion): Promise<readonly string[]> {
  if (type === 'A') return answersOf(() => resolver.resolve4(name));
  if (type === 'AAAA') return answersOf(() => resolver.resolve6(name));
  if (type === 'TXT') return (await answersOf(() => resolver.resolveTxt(name))).map((chunks) => chunks.join(''));
  if (type === 'MX') {
    const hosts = await answersOf(() => resolver.resolveMx(name));
    return hosts.map(({ priority, exchange }) => `${priority} ${exchange}`);
  }
  // EMAIL_SERVICE_SPF_MECHANISM allows no mechanism that needs another type, but a record that it includes may.
  throw new CannotCheck(`not checked: the mechanism needs ${type} records`);
}

async function addressesOf(resolver: Resolver, host: string): Promise<readonly string[]> {
  const [four, six] = await Promise.all([
    answersOf(() => resolver.resolve4(host)),
    answersOf(() => resolver.resolve6(host)),
  ]);
  return [...four, ...six];
}
