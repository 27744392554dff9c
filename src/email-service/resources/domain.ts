import { Type, type Static } from 'typebox';
import type { Finding } from '../../lib/dns/findings/finding.ts';
import type { DomainTable } from '../store/schema.ts';
import { NullableTimestamp, Timestamp, Word } from './wire-types.ts';

const FindingResource = Type.Object(
  {
    code: Type.String(),
    severity: Word(['error', 'warning']),
    name: Type.String({ description: 'Where it was seen.' }),
    expected: Type.String(),
    found: Type.Array(Type.String()),
    server: Type.Optional(Type.String({ description: 'Only when one name server is meant.' })),
    fix: Type.String({ description: 'What to do. A host or value in it is never followed by punctuation.' }),
    publish: Type.Optional(
      Type.Object(
        { type: Word(['TXT', 'MX']), host: Type.String(), value: Type.String() },
        { description: 'What to enter at the DNS provider, to be copied; absent when there is nothing to enter.' },
      ),
    ),
  },
  { description: 'One thing that is wrong with the record.' },
);

export const DomainRecord = Type.Object(
  {
    purpose: Word(['dkim', 'spf', 'return_path', 'dmarc']),
    type: Word(['TXT', 'MX']),
    name: Type.String({ description: 'The absolute name, without a final dot.' }),
    host: Type.String({
      description: 'What to enter as host at the DNS provider: the name relative to the zone, `@` for the zone itself.',
    }),
    zone: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description:
          'The zone that the host is relative to, as its name servers report it. Null until they answer: the host is then relative to the registered domain.',
      }),
    ),
    value: Type.String(),
    value_chunks: Type.Unsafe<readonly string[]>({
      type: 'array',
      items: Type.String(),
      description:
        'The value in strings of at most 255 bytes, the longest a TXT string can be (RFC 1035 section 3.3.14).',
    }),
    ttl: Type.Integer({ description: 'Seconds.' }),
    required: Type.Boolean({ description: 'Whether the domain is verified only when this record is found.' }),
    status: Word(['missing', 'wrong', 'found', 'inconclusive']),
    checked_at: NullableTimestamp,
    findings: Type.Unsafe<readonly Finding[]>({ type: 'array', items: FindingResource }),
  },
  { description: 'What to publish, and what the last look found in its place.' },
);
export type DomainRecord = Static<typeof DomainRecord>;

export const DomainResource = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Word(['pending', 'verified']),
    records: Type.Array(DomainRecord),
    created_at: Timestamp,
    verified_at: NullableTimestamp,
    last_checked_at: NullableTimestamp,
  },
  { description: 'A sending domain and the records it needs.' },
);
export type DomainResource = Static<typeof DomainResource>;

export const domainResource = (row: DomainTable): DomainResource => ({
  id: row.id,
  name: row.name,
  status: row.status,
  records: JSON.parse(row.records) as DomainRecord[],
  created_at: row.created_at,
  verified_at: row.verified_at,
  last_checked_at: row.last_checked_at,
});
