import { Type, type Static } from 'typebox';
import type { SenderTable } from '../store/schema.ts';
import { nullableString, sameFields, Timestamp } from './wire-types.ts';

export const SenderResource = Type.Object(
  {
    id: Type.String(),
    from_address: Type.String(),
    name: nullableString(),
    domain_id: Type.String(),
    created_at: Timestamp,
  },
  { description: 'An address to send emails from.' },
);
export type SenderResource = Static<typeof SenderResource>;

export const senderResource = (row: SenderTable): SenderResource => sameFields(SenderResource, row);
