import type { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';
import type { AddressPolicy } from '../../lib/dns/address-policy.ts';
import { checkingConnector } from '../../lib/http/checking-connector.ts';
import { readBeginning } from '../../lib/http/read-beginning.ts';
import { withDeadline } from '../../lib/timing/with-deadline.ts';
import { type MtaStsPolicy, parsePolicy } from './mta-sts-policy.ts';

export interface PolicyClientOptions {
  readonly resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  readonly mayConnectTo: AddressPolicy;
  /** @default 443 */
  readonly port?: number | undefined;
  /** @default 10 seconds: the first email to a domain waits for it. Section 3.3 suggests a minute. */
  readonly timeoutMs?: number | undefined;
  /** Certificates to trust instead of the public ones (PEM). */
  readonly trusted?: string | undefined;
}

export interface PolicyClient {
  /** Throws an error whose message is a clause for the log. */
  fetch(domain: string): Promise<MtaStsPolicy>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** RFC 8461 section 3.3. */
const POLICY_BYTES_MAX = 64 * 1024;

/** Fetches policies as RFC 8461 section 3.3 says: over HTTPS with a valid certificate, without following redirects. */
export function createPolicyClient(options: PolicyClientOptions): PolicyClient {
  const { resolver, port = 443, timeoutMs = TIMEOUT_MS } = options;
  const lookUp = async (host: string) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((family, at) =>
      family.status === 'rejected' ? [] : family.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })),
    );
  };
  const agent = new Agent({
    connect: checkingConnector({ ...options, lookUp, timeoutMs, answerBytesMax: POLICY_BYTES_MAX }),
  });
  return {
    fetch: (domain) =>
      withDeadline(timeoutMs, async (signal) => {
        const url = `https://mta-sts.${domain}:${String(port)}/.well-known/mta-sts.txt`;
        const { statusCode, headers, body } = await request(url, { dispatcher: agent, signal });
        const { 'content-type': type } = headers;
        if (statusCode !== 200) throw new Error(`its server answered ${String(statusCode)}`);
        // Users of a server may publish files there, but seldom choose their type.
        if (!/^text\/plain\s*(?:;|$)/i.test(String(type))) throw new Error('it is not text/plain');
        const { bytes, truncated } = await readBeginning(body, POLICY_BYTES_MAX);
        if (truncated) throw new Error(`it is larger than ${String(POLICY_BYTES_MAX)} bytes`);
        const policy = parsePolicy(bytes.toString('utf8'));
        if (policy === undefined) throw new Error('it is no policy');
        return policy;
      }),
    close: () => agent.destroy(),
  };
}
