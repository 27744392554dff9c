import { Type, type Static } from 'typebox';
import { recordTypes } from '../../lib/dns/expected-record.ts';
import type { Finding } from '../../lib/dns/findings/finding.ts';
import type { DomainTable } from '../store/schema.ts';
import { nullableString, nullableTimestamp, sameFields, Timestamp, Word } from './wire-types.ts';

const FindingResource = Type.Object(
  {
    code: Type.String(),
    severity: Word(['error', 'warning']),
    name: Type.String({ description: 'The name that the finding is about.' }),
    expected: Type.String(),
    found: Type.Array(Type.String()),
    server: Type.Optional(Type.String({ description: 'Present if the finding is about a single name server.' })),
    fix: Type.String({ description: 'What is wrong and what to do. No punctuation follows a host or value to copy.' }),
    publish: Type.Optional(
      Type.Object(
        { type: Word(recordTypes), host: Type.String(), value: Type.String() },
        { description: 'The record to enter at the DNS provider; absent if there is nothing to enter.' },
      ),
    ),
  },
  { description: 'One fault of the record.' },
);

export const DomainRecord = Type.Object(
  {
    purpose: Word(['dkim', 'spf', 'return_path', 'dmarc']),
    type: Word(recordTypes),
    name: Type.String({ description: 'The absolute name without a trailing dot.' }),
    host: Type.String({
      description: 'The host to enter at the DNS provider: the name relative to the zone, `@` for the zone itself.',
    }),
    zone: Type.Optional(
      nullableString(
        'The zone that the host is relative to, as its name servers report it. Null until they answer; the host is then relative to the registered domain.',
      ),
    ),
    name_servers: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), answered: Type.Boolean() }), {
        description: 'The name servers of the zone, and whether each answered in the last check that knew the zone.',
      }),
    ),
    value: Type.String(),
    value_chunks: Type.Unsafe<readonly string[]>({
      type: 'array',
      items: Type.String(),
      description: 'The value in strings of at most 255 bytes, the limit of a TXT string (RFC 1035 section 3.3.14).',
    }),
    ttl: Type.Integer({ description: 'Seconds.' }),
    required: Type.Boolean({ description: 'Whether verification of the domain requires this record.' }),
    remove_after: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Of a DKIM record whose key a rotation replaced: messages that it signed are under way until then. Afterwards the record may be removed.',
      }),
    ),
    status: Word(['unchecked', 'missing', 'wrong', 'found', 'inconclusive']),
    checked_at: nullableTimestamp(),
    found: Type.Optional(
      Type.Array(Type.String(), { description: 'The values at the name, from any name server, in the last check.' }),
    ),
    findings: Type.Unsafe<readonly Finding[]>({ type: 'array', items: FindingResource }),
  },
  { description: 'A record to publish, with the findings of the last check.' },
);
export type DomainRecord = Static<typeof DomainRecord>;

export const maySend = (status: DomainTable['status']): boolean =>
  status === 'verified' || status === 'temporary_failure';

export type DomainTls = DomainTable['tls'];

export const DomainTlsWord = Word(
  ['opportunistic', 'required'] as const satisfies readonly DomainTls[],
  '`opportunistic`: emails are encrypted where the receiving server offers it. `required`: they are sent only over TLS, to a server whose certificate is valid for its name.',
);

export const DomainResource = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Word(
      ['pending', 'verified', 'temporary_failure', 'not_verified'],
      '`pending`: never verified. `verified`: may send. `temporary_failure`: has lost a required record and may send until `sends_until`. `not_verified`: still lacked it then; nothing is sent until a check finds it.',
    ),
    tls: DomainTlsWord,
    records: Type.Array(DomainRecord),
    created_at: Timestamp,
    verified_at: nullableTimestamp(),
    drifted_at: nullableTimestamp('When a check found that a required record was lost; null if all are found.'),
    sends_until: nullableTimestamp(
      'Until when the domain sends without it: a check after this time that does not find it makes the domain `not_verified`.',
    ),
    last_checked_at: nullableTimestamp(),
  },
  { description: 'A sending domain and its records.' },
);
export type DomainResource = Static<typeof DomainResource>;

export const domainResource = (row: DomainTable): DomainResource => ({
  ...sameFields(DomainResource, row),
  records: JSON.parse(row.records) as DomainRecord[],
});
