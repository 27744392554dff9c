import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import type { ZonesByName } from '../../lib/dns/resolver/find-zones.ts';
import { formPlace } from '../../lib/dns/names/form-place.ts';
import { valueChunks } from '../../lib/dns/records/value-chunks.ts';
import type { DomainRecord } from '../resources/domain.ts';

/** With a TTL of an hour, every correction would take up to an hour to become visible. */
const TTL_SECONDS = 300;

interface SendingDomain {
  readonly name: string;
  readonly returnPathDomain: string;
  readonly dkimSelector: string;
  /** SubjectPublicKeyInfo in base64. */
  readonly dkimPublicKey: string;
  /** The text between `v=spf1` and `-all`. */
  readonly spfMechanism: string;
  /** The host that receives bounces. */
  readonly hostname: string;
}

export async function uncheckedRecords(
  records: readonly ExpectedRecord[],
  findZones: FindZones,
): Promise<readonly DomainRecord[]> {
  const zones = await findZones(records.map(({ name }) => name));
  return records.map((record) => {
    const { host, zone, zoneFound } = formPlace(record.name, zones.get(record.name));
    return {
      ...record,
      host,
      zone: zoneFound ? zone : null,
      value_chunks: record.type === 'TXT' ? valueChunks(record.value) : [record.value],
      ttl: TTL_SECONDS,
      status: 'unchecked',
      checked_at: null,
      findings: [],
    };
  });
}

export type FindZones = (names: readonly string[]) => Promise<ZonesByName>;

export const dkimRecordName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`;

export const dkimRecord = ({
  name,
  dkimSelector,
  dkimPublicKey,
}: Pick<SendingDomain, 'name' | 'dkimSelector' | 'dkimPublicKey'>): Omit<ExpectedRecord, 'required'> => ({
  purpose: 'dkim',
  type: 'TXT',
  name: dkimRecordName(dkimSelector, name),
  value: `v=DKIM1; k=rsa; p=${dkimPublicKey}`,
});

/** The records that the domain's owner must publish for DKIM, SPF and DMARC to pass. */
export function sendingRecords(domain: SendingDomain): readonly ExpectedRecord[] {
  return [
    { ...dkimRecord(domain), required: true },
    {
      // Receivers query SPF at the return path (RFC 7208 section 2.4), which satisfies relaxed alignment (RFC 7489
      // section 3.1.2), and the domain's own SPF record stays unchanged.
      purpose: 'spf',
      type: 'TXT',
      name: domain.returnPathDomain,
      value: `v=spf1 ${domain.spfMechanism} -all`,
      required: true,
    },
    {
      purpose: 'return_path',
      type: 'MX',
      name: domain.returnPathDomain,
      value: `10 ${domain.hostname}`,
      required: false,
    },
    { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain.name}`, value: 'v=DMARC1; p=none', required: false },
  ];
}
