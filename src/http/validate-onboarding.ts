import { inputFaults, type OnboardTenantInput } from '../onboarding/input.ts';
import type { Fault } from '../lib/mail-rules/fault.ts';
import { mailAddressFault, withNormalDomain } from '../lib/mail-rules/mail-address-fault.ts';
import { readSender } from '../lib/mail-rules/read-sender.ts';
import { sendingDomainFault, sendingDomainName } from '../lib/mail-rules/sending-domain-fault.ts';
import { contentFault, subjectFault } from '../lib/mail-rules/text-faults.ts';
import type { FieldFault } from './throw-field-errors.ts';

/**
 * An onboarding's input as it is compared, with domains in lower case and without a final dot and the sender's name beside its address,
 * and every reason to refuse it before it starts: the Workflow's own rules, and those of the email service, which would refuse the input days later.
 */
export function validateOnboarding(
  given: OnboardTenantInput,
  names: SendingNames,
): { input: OnboardTenantInput; faults: FieldFault[] } {
  const { fromAddress, fromName, ...others } = given;
  const { firstEmail } = others;
  const sender = readSender({ address: fromAddress, name: fromName });
  const input = {
    ...others,
    domain: sendingDomainName(given.domain),
    fromAddress: sender.address,
    ...(sender.name !== undefined && { fromName: sender.name }),
    firstEmail: { ...firstEmail, recipient: withNormalDomain(firstEmail.recipient) },
  };
  const senderFaults = sender.faults.map(({ field, ...fault }) => invalid(senderFields[field], fault));
  const faults = [...mailFaults(input, names), ...senderFaults];
  const ofWorkflow = inputFaults(input).filter(({ field }) => !faults.some((fault) => fault.field === field));
  return { input, faults: [...ofWorkflow, ...faults] };
}

const senderFields = { address: 'fromAddress', name: 'fromName' };

type SendingNames = Parameters<typeof sendingDomainFault>[1];

function mailFaults({ domain, firstEmail }: OnboardTenantInput, names: SendingNames): FieldFault[] {
  const rules: [string, string, (text: string) => Fault | undefined][] = [
    ['domain', domain, (name) => sendingDomainFault(name, names)],
    ['firstEmail.recipient', firstEmail.recipient, mailAddressFault],
    ['firstEmail.subject', firstEmail.subject, subjectFault],
    ['firstEmail.body', firstEmail.body, contentFault],
  ];
  return rules.flatMap(([field, value, rule]) => {
    const fault = rule(value);
    return fault === undefined ? [] : [invalid(field, fault)];
  });
}

const invalid = (field: string, { code, detail }: Fault): FieldFault => ({
  ...{ field, code },
  problem: `is not valid: ${detail}`,
});
