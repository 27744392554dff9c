// One DKIM or SPF record of a zone: as receivers judge it, and as sendoff does. Both ask the server at a port of 127.0.0.1.
import type { RecordCheck } from '../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../src/lib/dns/expected-record.ts';
import type { FindingCode } from '../../src/lib/dns/findings/finding.ts';
import {
  createAuthoritativeResolver,
  type AuthoritativeResolver,
} from '../../src/lib/dns/resolver/authoritative-resolver.ts';
import { signMessage } from '../../src/email-service/delivery/sign-message.ts';
import type { PythonJudges } from './python-judges.ts';

const SENDS_FROM = '192.0.2.1';
export const SPF = `v=spf1 ip4:${SENDS_FROM} -all`;
export const dkimValue = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

export const recordOf = (of: 'dkim' | 'spf', domain: string, value: string): ExpectedRecord => ({
  ...{ purpose: of, type: 'TXT', value, required: true },
  name: of === 'dkim' ? `k1._domainkey.${domain}` : `bounce.${domain}`,
});

export const resolverAt = (port: number): AuthoritativeResolver =>
  createAuthoritativeResolver({ resolvers: [`127.0.0.1:${port}`], port, mayAsk: () => true });

/** Of a domain, by its key k1. */
export const signedMessage = (domain: string, privateKey: string): Promise<string> =>
  signMessage(
    `From: a@${domain}\r\nTo: b@inbox.test\r\nSubject: s\r\nDate: ${new Date().toUTCString()}\r\n\r\nIt works.\r\n`,
    { domain, selector: 'k1', privateKey },
    new Date(),
  );

/** What dkimpy says of a signed message, with the key from DNS. */
export const askDkimpy = (python: PythonJudges, message: string, port: number): Promise<string> =>
  python.ask<string>('dkim_check', { message: Buffer.from(message).toString('base64'), port });

/** What pyspf says of a message that the sending service sends for the domain. */
export const askPyspf = (python: PythonJudges, domain: string, port: number): Promise<string> =>
  python.ask<string>('spf_check', {
    ...{ address: SENDS_FROM, sender: `x@bounce.${domain}`, helo: 'mail.sendoff.test', port },
  });

/**
 * The verdict of sendoff. Receivers have no findings, so a case that names some differs as well if sendoff reports none of them.
 */
export function ourVerdict({ status, findings }: RecordCheck, wanted: readonly FindingCode[]): string {
  const isNamed = wanted.length === 0 || findings.some(({ code }) => wanted.includes(code));
  return `${status === 'found' ? 'accepted' : 'refused'}${isNamed ? '' : `, not as ${wanted.join(' or ')}`}`;
}
