import { Resolver } from 'node:dns/promises';
import type { AddressPolicy } from '../../lib/dns/public-address.ts';
import { bounceWithoutRefusal } from './classify-bounce.ts';
import type { Bounce } from '../resources/email.ts';

export interface MailHost {
  /** The MX host's name, which the API shows as `remote_mta`. */
  readonly name: string;
  readonly address: string;
}

export type MailRoute =
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[] }
  /** DNS says for sure that the domain takes no mail. */
  | { readonly kind: 'none'; readonly bounce: (attempt: number) => Bounce }
  /** No server gave an answer that says anything; asking again may help. */
  | { readonly kind: 'unknown'; readonly diagnostic: string };

export type FindMailRoute = (domain: string) => Promise<MailRoute>;

/** Two tries of this on each server: long enough for a cold cache, short against a delivery attempt. */
const DNS_TIMEOUT_MS = 5_000;
const DNS_TRIES = 2;
/** RFC 5321 section 5.1 allows a limit on the addresses tried in one attempt; it must be at least two. */
const ADDRESSES_MAX = 5;

/** NXDOMAIN and a name that no server would accept. */
const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'EBADNAME']);
const NO_RECORD = 'ENODATA';

/**
 * @param resolvers recursive, `address` or `address:port`; undefined for the system's
 * @param mayConnectTo which of the addresses that a recipient's domain names are connected to
 */
export function createMailRouter(resolvers: readonly string[] | undefined, mayConnectTo: AddressPolicy): FindMailRoute {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (resolvers !== undefined) resolver.setServers(resolvers);
  return (domain) => findMailRoute(resolver, domain, mayConnectTo);
}

/** RFC 5321 section 5.1: MX hosts by preference, the domain's own address when it has no MX record. */
async function findMailRoute(resolver: Resolver, domain: string, mayConnectTo: AddressPolicy): Promise<MailRoute> {
  let names: readonly string[];
  try {
    const records = await resolver.resolveMx(domain);
    if (isNullMx(records)) return noRoute('5.1.10', `${domain} publishes that it takes no mail (a null MX record).`);
    names = inOrderOfPreference(records);
  } catch (error) {
    const code = codeOf(error);
    if (NO_SUCH_NAME.has(code)) return noRoute('5.1.2', `The domain ${domain} does not exist.`);
    if (code !== NO_RECORD)
      return { kind: 'unknown', diagnostic: `The MX records of ${domain} cannot be read: ${code}.` };
    names = [domain];
  }
  return addressesOf(resolver, domain, names, mayConnectTo);
}

async function addressesOf(
  resolver: Resolver,
  domain: string,
  names: readonly string[],
  mayConnectTo: AddressPolicy,
): Promise<MailRoute> {
  const hosts: MailHost[] = [];
  let unanswered: string | undefined;
  for (const name of names) {
    // IPv4 first: receivers ask for a reverse name of IPv6 senders that small networks often lack.
    for (const lookUp of [() => resolver.resolve4(name), () => resolver.resolve6(name)]) {
      try {
        hosts.push(...(await lookUp()).filter(mayConnectTo).map((address) => ({ name, address })));
      } catch (error) {
        const code = codeOf(error);
        if (code !== NO_RECORD && !NO_SUCH_NAME.has(code))
          unanswered = `The address of ${name} cannot be read: ${code}.`;
      }
    }
    if (hosts.length >= ADDRESSES_MAX) break;
  }
  if (hosts.length > 0) return { kind: 'hosts', hosts: hosts.slice(0, ADDRESSES_MAX) };
  if (unanswered !== undefined) return { kind: 'unknown', diagnostic: unanswered };
  const implicit = names.length === 1 && names[0] === domain;
  return implicit
    ? noRoute('5.1.2', `The domain ${domain} has neither an MX record nor a public address, so it takes no mail.`)
    : noRoute('5.4.4', `None of the mail servers that ${domain} names has a public address.`);
}

function noRoute(enhancedCode: string, reason: string): MailRoute {
  const category = enhancedCode === '5.4.4' ? 'infrastructure' : 'recipient';
  return {
    kind: 'none',
    bounce: (attempt) => bounceWithoutRefusal(category, { reason, enhanced_code: enhancedCode, attempt }),
  };
}

interface MxRecord {
  readonly priority: number;
  readonly exchange: string;
}

/** RFC 7505: one record, whose host is the root. */
const isNullMx = (records: readonly MxRecord[]): boolean =>
  records.length === 1 && (records[0]?.exchange === '' || records[0]?.exchange === '.');

/** Hosts of equal preference in random order, to spread the load over them. */
function inOrderOfPreference(records: readonly MxRecord[]): string[] {
  return records
    .map((record) => ({ ...record, draw: Math.random() }))
    .sort((one, other) => one.priority - other.priority || one.draw - other.draw)
    .map((record) => record.exchange.replace(/\.$/, ''))
    .filter((exchange) => exchange !== '');
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
