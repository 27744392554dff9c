import { valueChunks } from '../../../src/lib/dns/records/value-chunks.ts';
import type { DnsRecord } from '../../../src/onboarding/dns-record.ts';

/** As long as that of a 2048-bit key. */
const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA'.repeat(9).slice(0, 392);

export const dkimRecord: DnsRecord = {
  purpose: 'dkim',
  type: 'TXT',
  name: 'k1._domainkey.mail.acme.com',
  host: 'k1._domainkey.mail',
  zone: 'acme.com',
  value: `v=DKIM1; k=rsa; p=${KEY}`,
  required: true,
  status: 'missing',
  found: [],
  findings: [],
};
export const PARTS = valueChunks(dkimRecord.value);

export const spfRecord: DnsRecord = {
  ...dkimRecord,
  purpose: 'spf',
  name: 'bounce.mail.acme.com',
  host: 'bounce.mail',
  value: 'v=spf1 include:spf.sendoff.example -all',
};

export const mxRecord: DnsRecord = {
  ...spfRecord,
  purpose: 'return_path',
  type: 'MX',
  value: '10 mx.sendoff.example',
};

export const aliasRecord: DnsRecord = {
  ...dkimRecord,
  type: 'CNAME',
  name: 't1._domainkey.mail.acme.com',
  host: 't1._domainkey.mail',
  value: 't1.dkim.sendoff.example.',
};

export const dmarcRecord: DnsRecord = {
  ...spfRecord,
  purpose: 'dmarc',
  name: '_dmarc.mail.acme.com',
  host: '_dmarc.mail',
  value: 'v=DMARC1; p=none',
  required: false,
};
