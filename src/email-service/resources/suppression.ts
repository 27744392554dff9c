import { Type, type Static } from 'typebox';
import { isErasureMark } from '../store/erasure-marks.ts';
import type { SuppressionTable } from '../store/schema.ts';
import { nullableString, sameFields, Timestamp, Word } from './wire-types.ts';

export const SuppressionResource = Type.Object(
  {
    id: Type.String(),
    address: Type.String({
      description:
        'In lower case: case does not distinguish addresses here. Empty once it was erased; the entry still holds.',
    }),
    cause: Word(
      ['bounce', 'complaint', 'manual'],
      'bounce: a server refused the address for good. complaint: the recipient reported an email as spam. manual: by this API.',
    ),
    reason: Type.String({ description: 'An explanation for people.' }),
    email_id: nullableString('The email that caused it.'),
    created_at: Timestamp,
  },
  { description: 'An address that the account does not send to.' },
);
export type SuppressionResource = Static<typeof SuppressionResource>;

export const suppressionResource = (row: SuppressionTable): SuppressionResource => ({
  ...sameFields(SuppressionResource, row),
  address: isErasureMark(row.address) ? '' : row.address,
});
