// The envelope sender of each email (variable envelope return path): its local part names the email, and a MAC shows that this
// service sent it, so that only a party that has seen the email can report about it. In lower case, which some servers make of it.
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../lib/sealing.ts';

/** 80 bits: the address stays within 64 octets before the `@` (RFC 5321 section 4.5.3.1.1). */
const MAC_BYTES = 10;
const CONTEXT = 'email-service/return-path';
/** Crockford's base32, as in the id. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const LOCAL_PART = new RegExp(`^(eml_[${DIGITS}]{26})-([${DIGITS}]{16})$`);

export const returnPathOf = (
  sealer: Sealer,
  email: { readonly id: string; readonly return_path_domain: string },
): string => `${email.id}-${base32(macsOf(sealer, email.id)[0] ?? Buffer.alloc(0))}@${email.return_path_domain}`;

/** The id in a local part that `returnPathOf` made with one of the sealer's keys; undefined for any other. */
export function emailIdOfReturnPath(sealer: Sealer, localPart: string): string | undefined {
  const [, emailId, mac] = LOCAL_PART.exec(localPart.toLowerCase()) ?? [];
  if (emailId === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac);
  return macsOf(sealer, emailId).some((expected) => timingSafeEqual(Buffer.from(base32(expected)), given))
    ? emailId
    : undefined;
}

const macsOf = (sealer: Sealer, emailId: string): readonly Buffer[] =>
  sealer.macs(emailId, CONTEXT).map((mac) => mac.subarray(0, MAC_BYTES));

/** Five bits a digit; `MAC_BYTES` is a multiple of five. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => DIGITS.charAt(Number.parseInt(five, 2))).join('');
}
