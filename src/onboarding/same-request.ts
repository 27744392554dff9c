// Whether a second request for a tenant asks for the same onboarding: it is then answered as the first one was, and refused otherwise.
import { differingFields } from '../lib/differing-fields.ts';
import { durationMs } from '../lib/duration.ts';
import { type OnboardTenantInput, UndoScope, VERIFICATION_WINDOW_DEFAULT } from './input.ts';

/** The paths of the fields in which two inputs differ. A field left out equals its default, and the case of a domain does not count. */
export const differencesBetween = (left: OnboardTenantInput, right: OnboardTenantInput): string[] =>
  differingFields(comparable(left), comparable(right));

const comparable = (input: OnboardTenantInput): Record<string, unknown> => ({
  tenantId: input.tenantId,
  domain: input.domain,
  fromAddress: mailbox(input.fromAddress),
  fromName: input.fromName,
  'firstEmail.recipient': mailbox(input.firstEmail.recipient),
  'firstEmail.subject': input.firstEmail.subject,
  'firstEmail.body': input.firstEmail.body,
  verificationWindow: durationMs(input.verificationWindow ?? VERIFICATION_WINDOW_DEFAULT),
  undo: input.undo ?? UndoScope.byExit,
});

/** RFC 5321 section 2.4: only the part before the @ may depend on case. */
function mailbox(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}${address.slice(at).toLowerCase()}`;
}
