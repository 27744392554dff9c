import { authenticate } from 'mailauth';
import type { MailauthResolver } from './dns-lookup.ts';

/** RFC 8601 words: pass, fail, none, neutral, softfail, policy, temperror, permerror. */
export interface Judgement {
  /** The best result of the message's signatures; `none` without one. */
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

/** What a receiving mail server thinks of a message, by mailauth and the DNS. */
export async function judgeMessage(
  raw: Buffer,
  client: Client,
  hostname: string,
  resolver: MailauthResolver,
): Promise<Judgement> {
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
