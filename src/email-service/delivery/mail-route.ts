import type { MxRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { AddressPolicy } from '../../lib/dns/address-policy.ts';
import { bounceWithoutRefusal } from './classify-bounce.ts';
import type { FindMtaStsPolicy } from './find-mta-sts-policy.ts';
import { allowsHost } from './mta-sts-policy.ts';
import type { Bounce } from '../resources/email.ts';

export interface MailHost {
  /** The MX host's name, which the API shows as `remote_mta`. */
  readonly name: string;
  readonly address: string;
}

type MailRoute =
  /** `enforced`: only these hosts, and only over TLS, as the MTA-STS policy of the domain says. */
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHost[]; readonly enforced?: boolean }
  /** DNS states that the domain accepts no mail. */
  | { readonly kind: 'none'; readonly bounce: (attempt: number) => Bounce }
  /** No name server answered; another attempt may help. */
  | { readonly kind: 'unknown'; readonly diagnostic: string };

export type FindMailRoute = (domain: string) => Promise<MailRoute>;

/** Per try and server: long enough for a cold cache, short compared with a delivery attempt. */
const DNS_TIMEOUT_MS = 5_000;
const DNS_TRIES = 2;
/** RFC 5321 section 5.1 allows a limit on the addresses tried in one attempt; it must be at least two. */
const ADDRESSES_MAX = 5;

/** NXDOMAIN, or an invalid name. */
const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'EBADNAME']);
const NO_RECORD = 'ENODATA';

/** @param resolvers recursive, `address` or `address:port`; undefined for the system's resolvers */
export function createMailResolver(resolvers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (resolvers !== undefined) resolver.setServers(resolvers);
  return resolver;
}

/**
 * Messages to one domain share a lookup that is under way; nothing is kept after it.
 * @param mayConnectTo which addresses of a recipient's domain are allowed
 * @param findPolicy asked at the same time as DNS. @default no domain has one
 */
export function createMailRouter(
  resolver: Resolver,
  mayConnectTo: AddressPolicy,
  findPolicy: FindMtaStsPolicy = async () => undefined,
): FindMailRoute {
  const underWay = new Map<string, Promise<MailRoute>>();
  return (domain) => {
    const route =
      underWay.get(domain) ??
      findMailRoute(resolver, domain, { mayConnectTo, findPolicy }).finally(() => underWay.delete(domain));
    underWay.set(domain, route);
    return route;
  };
}

/** RFC 5321 section 5.1: MX hosts by preference, or the domain's address if it has no MX record. */
async function findMailRoute(
  resolver: Resolver,
  domain: string,
  { mayConnectTo, findPolicy }: { readonly mayConnectTo: AddressPolicy; readonly findPolicy: FindMtaStsPolicy },
): Promise<MailRoute> {
  const policyOrError = findPolicy(domain).catch((error: unknown) => new Error('no answer', { cause: error }));
  let names: readonly string[];
  let withoutAddress = noRoute('5.4.4', `No mail server of ${domain} has a public address.`);
  try {
    const records = await resolver.resolveMx(domain);
    if (isNullMx(records))
      return noRoute('5.1.10', `The domain ${domain} publishes a null MX record, which means that it accepts no mail.`);
    names = inOrderOfPreference(records);
  } catch (error) {
    const code = codeOf(error);
    if (NO_SUCH_NAME.has(code)) return noRoute('5.1.2', `The domain ${domain} does not exist.`);
    if (code !== NO_RECORD)
      return { kind: 'unknown', diagnostic: `Cannot look up the MX records of ${domain}: ${code}.` };
    names = [domain];
    const reason = `The domain ${domain} has neither an MX record nor a public address, so it accepts no mail.`;
    withoutAddress = noRoute('5.1.2', reason);
  }
  const routeBy = (allowed: readonly string[]) => addressesOf(resolver, allowed, { mayConnectTo, withoutAddress });
  const policy = await policyOrError;
  if (policy instanceof Error) return { kind: 'unknown', diagnostic: `Cannot read whether ${domain} requires TLS.` };
  if (policy === undefined) return routeBy(names);
  const allowed = names.filter((name) => allowsHost(policy, name));
  if (allowed.length === 0) {
    const diagnostic = `Not sent, because the MTA-STS policy of ${domain} allows none of its MX hosts: ${names.slice(0, ADDRESSES_MAX).join(', ')}.`;
    return { kind: 'unknown', diagnostic };
  }
  const route = await routeBy(allowed);
  return route.kind === 'hosts' ? { ...route, enforced: true } : route;
}

async function addressesOf(
  resolver: Resolver,
  names: readonly string[],
  { mayConnectTo, withoutAddress }: { readonly mayConnectTo: AddressPolicy; readonly withoutAddress: MailRoute },
): Promise<MailRoute> {
  const hosts: MailHost[] = [];
  let unanswered: string | undefined;
  for (const name of names) {
    // IPv4 first: receivers require a reverse name for IPv6 senders, which small networks often lack.
    for (const lookUp of [() => resolver.resolve4(name), () => resolver.resolve6(name)]) {
      try {
        hosts.push(...(await lookUp()).filter(mayConnectTo).map((address) => ({ name, address })));
      } catch (error) {
        const code = codeOf(error);
        if (code !== NO_RECORD && !NO_SUCH_NAME.has(code))
          unanswered = `Cannot look up the address of ${name}: ${code}.`;
      }
    }
    if (hosts.length >= ADDRESSES_MAX) break;
  }
  if (hosts.length > 0) return { kind: 'hosts', hosts: hosts.slice(0, ADDRESSES_MAX) };
  return unanswered === undefined ? withoutAddress : { kind: 'unknown', diagnostic: unanswered };
}

function noRoute(enhancedCode: string, reason: string): MailRoute {
  const category = enhancedCode === '5.4.4' ? 'infrastructure' : 'recipient';
  return {
    kind: 'none',
    bounce: (attempt) => bounceWithoutRefusal(category, { reason, enhanced_code: enhancedCode, attempt }),
  };
}

/** RFC 7505: a single record whose host is the root. */
const isNullMx = (records: readonly MxRecord[]): boolean =>
  records.length === 1 && (records[0]?.exchange === '' || records[0]?.exchange === '.');

/** Hosts of equal preference in random order, to spread the load. */
function inOrderOfPreference(records: readonly MxRecord[]): string[] {
  return records
    .map((record) => ({ ...record, draw: Math.random() }))
    .sort((one, other) => one.priority - other.priority || one.draw - other.draw)
    .map((record) => record.exchange.replace(/\.$/, ''))
    .filter((exchange) => exchange !== '');
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
