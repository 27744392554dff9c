import { Resolver } from 'node:dns/promises';
import { authenticate } from 'mailauth';

/** Results of RFC 8601: pass, fail, none, neutral, softfail, policy, temperror, permerror. */
export interface AuthenticationResults {
  /** `pass` if one of the signatures passes, otherwise the result of the first; `none` without one. */
  readonly dkim: string;
  readonly spf: string;
  readonly dmarc: string;
}

export interface Client {
  readonly ip: string;
  readonly helo: string;
  /** Empty for a bounce, RFC 5321 section 4.5.5. */
  readonly envelopeFrom: string;
}

/** Checks DKIM, SPF and DMARC of a message, as a receiving mail server does. */
export async function judgeMessage(
  raw: Buffer,
  client: Client,
  hostname: string,
  resolver: MailauthResolver,
): Promise<AuthenticationResults> {
  const result = await authenticate(raw, {
    ip: client.ip,
    helo: client.helo,
    sender: client.envelopeFrom,
    mta: hostname,
    resolver,
    disableArc: true,
    disableBimi: true,
  });
  const signatures = result.dkim.results.map((signature) => signature.status.result);
  return {
    dkim: signatures.find((word) => word === 'pass') ?? signatures[0] ?? 'none',
    spf: result.spf === false ? 'none' : result.spf.status.result,
    dmarc: result.dmarc === false ? 'none' : result.dmarc.status.result,
  };
}

/** The form of `dns.promises.resolve` that mailauth calls. */
type MailauthResolver = (name: string, type: string) => Promise<string[] | string[][]>;

/** Errors keep their codes: for mailauth, ENOTFOUND and ENODATA mean no record, any other code a temporary failure. */
export function dnsLookup(resolvers: readonly string[]): MailauthResolver {
  const resolver = new Resolver();
  resolver.setServers(resolvers);
  return async (name, type) => (await resolver.resolve(name, type)) as string[] | string[][];
}
