// What Postmark shows of its resources, as its documents and its SDK describe it.
import { generateKeyPairSync } from 'node:crypto';
import type { Body } from './serve-fake.ts';

export interface FakeServer {
  readonly id: number;
  readonly name: string;
  readonly token: string;
}
export interface FakeDomain {
  readonly id: number;
  readonly name: string;
  readonly returnPath: string;
  isSigned: boolean;
  isReturnPathVerified: boolean;
}
export interface FakeEmail {
  readonly id: string;
  readonly server: number;
  readonly to: string;
  readonly from: string;
  readonly content: Body;
}

export const NOW = '2026-11-24T12:00:00.0000000-05:00';
export const shownServer = ({ id, name, token }: FakeServer): object => ({
  ...{ ID: id, Name: name, ApiTokens: [token], ServerLink: `https://postmarkapp.com/servers/${id}/streams` },
  ...{ Color: 'Turquoise', SmtpApiActivated: true, RawEmailEnabled: false, DeliveryType: 'Live' },
  ...{ InboundAddress: 'a@inbound.postmarkapp.com', InboundHash: 'a', InboundSpamThreshold: 0 },
  ...{ PostFirstOpenOnly: false, TrackOpens: false, TrackLinks: 'None' },
  ...{ IncludeBounceContentInHook: false, EnableSmtpApiErrorHooks: false },
});

export const summaryOf = ({ id, name, isSigned, isReturnPathVerified }: FakeDomain): object => ({
  ...{ ID: id, Name: name, SPFVerified: true, DKIMVerified: isSigned, WeakDKIM: false },
  ReturnPathDomainVerified: isReturnPathVerified,
});

/** RSA of 1,024 bits, as Postmark's. */
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const DKIM_VALUE = `k=rsa;p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

/** What a tenant publishes. */
export const postmarkRecords = (domain: string): { name: string; type: 'TXT' | 'CNAME'; value: string }[] => [
  { name: `20261124120000pm._domainkey.${domain}`, type: 'TXT', value: DKIM_VALUE },
  { name: `pm-bounces.${domain}`, type: 'CNAME', value: 'pm.mtasv.net' },
];

export function shownDomain(domain: FakeDomain): object {
  const { name, isSigned, returnPath } = domain;
  const host = `20261124120000pm._domainkey.${name}`;
  const pending = isSigned ? ['', ''] : [host, DKIM_VALUE];
  const current = isSigned ? [host, DKIM_VALUE] : ['', ''];
  return {
    ...summaryOf(domain),
    ...{ SPFHost: name, SPFTextValue: 'v=spf1 a mx include:spf.mtasv.net ~all' },
    ...{ DKIMHost: current[0], DKIMTextValue: current[1] },
    ...{ DKIMPendingHost: pending[0], DKIMPendingTextValue: pending[1] },
    ...{ DKIMRevokedHost: '', DKIMRevokedTextValue: '', SafeToRemoveRevokedKeyFromDNS: false },
    ...{ DKIMUpdateStatus: isSigned ? 'Verified' : 'Pending', ReturnPathDomain: returnPath },
    ReturnPathDomainCNAMEValue: 'pm.mtasv.net',
  };
}

export function shownWebhook({ Url, MessageStream, HttpHeaders, Triggers }: Body): object {
  const off = { Enabled: false };
  const none = { Open: { ...off, PostFirstOpenOnly: false }, Click: off, SpamComplaint: off, SubscriptionChange: off };
  return { Url, MessageStream, HttpHeaders, Triggers: { ...none, ...(Triggers as Body) } };
}

export const shownEmail = ({ id, to, from, content }: FakeEmail): object => ({
  ...{ MessageID: id, MessageStream: content['MessageStream'], To: [{ Email: to, Name: null }], Cc: [], Bcc: [] },
  ...{ Recipients: [to], ReceivedAt: NOW, From: from, Subject: content['Subject'], Attachments: [], Status: 'Sent' },
  ...{ TrackOpens: false, TrackLinks: 'None', Metadata: content['Metadata'] ?? {}, Sandboxed: false },
});

export const bounceIdOf = (emailId: string): number => Number.parseInt(emailId.slice(0, 8), 16);

export function eventOf({ id, to }: FakeEmail, ending: string): object {
  const at = { Recipient: to, ReceivedAt: NOW };
  if (ending !== 'Delivered' && ending !== 'Transient')
    return { ...at, Type: 'Bounced', Details: { Summary: ending, BounceID: bounceIdOf(id) } };
  const message = ending === 'Delivered' ? 'smtp;250 2.0.0 OK' : 'smtp;451 4.7.1 Please try again later';
  const Details = { DeliveryMessage: message, DestinationServer: 'mx.inbox.test', DestinationIP: '192.0.2.1' };
  return { ...at, Type: ending, Details };
}

/** `SoftBounce 552 5.2.2 Mailbox full`: a type, and the receiver's answer. */
export function shownBounce({ id, to, from, content }: FakeEmail, ending: string): object {
  const [type = '', ...details] = ending.split(' ');
  return {
    ...{ RecordType: 'Bounce', ID: bounceIdOf(id), Type: type, TypeCode: 1, Name: type, Tag: '', MessageID: id },
    ...{ ServerID: 1, Description: `The email bounced (${type}).`, Details: details.join(' '), Email: to, From: from },
    ...{ BouncedAt: NOW, DumpAvailable: false, Inactive: type === 'HardBounce', CanActivate: true },
    ...{ Subject: content['Subject'], MessageStream: content['MessageStream'] },
  };
}
