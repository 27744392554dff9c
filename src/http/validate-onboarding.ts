import { inputFaults, type OnboardTenantInput } from '../onboarding/input.ts';
import type { Fault } from '../lib/mail-rules/fault.ts';
import { mailAddressFault, withLowerCaseDomain } from '../lib/mail-rules/mail-address-fault.ts';
import { sendingDomainFault, sendingDomainName } from '../lib/mail-rules/sending-domain-fault.ts';
import { contentFault, subjectFault } from '../lib/mail-rules/text-faults.ts';
import type { FieldFault } from './throw-field-errors.ts';

/**
 * An onboarding's input with its names as they are compared, in lower case and without a final dot, and every reason to refuse it
 * before it starts: the Workflow's own rules, and those of the email service, which would refuse the input days later.
 */
export function validateOnboarding(
  given: OnboardTenantInput,
  names: SendingNames,
): { input: OnboardTenantInput; faults: FieldFault[] } {
  const { firstEmail } = given;
  const input = {
    ...given,
    domain: sendingDomainName(given.domain),
    fromAddress: withLowerCaseDomain(given.fromAddress),
    firstEmail: { ...firstEmail, recipient: withLowerCaseDomain(firstEmail.recipient) },
  };
  const faults = mailFaults(input, names);
  const others = inputFaults(input).filter(({ field }) => !faults.some((fault) => fault.field === field));
  return { input, faults: [...others, ...faults] };
}

type SendingNames = Parameters<typeof sendingDomainFault>[1];

function mailFaults({ domain, fromAddress, firstEmail }: OnboardTenantInput, names: SendingNames): FieldFault[] {
  const rules: [string, string, (text: string) => Fault | undefined][] = [
    ['domain', domain, (name) => sendingDomainFault(name, names)],
    ['fromAddress', fromAddress, mailAddressFault],
    ['firstEmail.recipient', firstEmail.recipient, mailAddressFault],
    ['firstEmail.subject', firstEmail.subject, subjectFault],
    ['firstEmail.body', firstEmail.body, contentFault],
  ];
  return rules.flatMap(([field, value, rule]) => {
    const fault = rule(value);
    return fault === undefined ? [] : [{ field, code: fault.code, problem: `is not valid: ${fault.detail}` }];
  });
}
