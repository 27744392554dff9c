import { Type } from 'typebox';
import type { DomainWatchView } from '../../store/upkeep/watched-domains.ts';
import {
  described,
  finding,
  nullable,
  NullableString,
  NullableTime,
  sharedSchema,
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
