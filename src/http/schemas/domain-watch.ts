import { Type } from 'typebox';
import type { DomainWatchView } from '../../store/upkeep/watched-domains.ts';
import {
  described,
  finding,
  nullable,
  NullableString,
  NullableTime,
  sharedSchema,
  strictObject,
  Time,
  words,
} from './shared-schema.ts';

export const DomainWatch = Type.Object({
  state: Type.Unsafe<DomainWatchView['state']>({
    ...words(['ok', 'drifted', 'gone']),
    description:
      '`drifted`: two checks in a row found a required record missing or wrong. `gone`: the provider no longer has the domain, and watching has ended.',
  }),
  stateSince: Time,
  suspicion: nullable(
    described('What the last checks saw that `state` does not say yet.', {
      of: words(['drifted', 'gone']),
      times: Type.Integer(),
    }),
  ),
  findings: Type.Array(Type.Object({ purpose: Type.String(), ...finding }), {
    description: 'Of the last conclusive check, without those of muted records.',
  }),
  muted: Type.Array(Type.Object({ purpose: Type.String(), reason: Type.String(), by: Type.String(), at: Time }), {
    description: 'Records whose defects do not count.',
  }),
  checkedAt: NullableTime,
  nextCheckAt: NullableTime,
  problem: Type.Unsafe<string | null>({
    ...NullableString,
    description: 'Why the last check was inconclusive; null if it was conclusive.',
  }),
});

export const DomainWatchSchema = sharedSchema<DomainWatchView>()(
  'DomainWatch',
  'What the checks of a verified domain find.',
  DomainWatch,
);

export const MutedRecordParams = Type.Object({
  tenantId: Type.String({ description: '1 to 128 of A-Z a-z 0-9 . _ -' }),
  purpose: Type.String({ description: 'The purpose of a required record, such as `dkim` or `spf`.' }),
});

export const AuditQuery = strictObject({
  by: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Who asks; kept in the audit events.' })),
});

export const MuteRequest = strictObject({
  reason: Type.String({ minLength: 1, maxLength: 1_000, description: 'Why its defects do not count.' }),
  by: Type.String({ minLength: 1, maxLength: 200, description: 'Who decided it.' }),
});
