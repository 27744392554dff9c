import { type InputProblem, inputProblems, type OnboardTenantInput } from '../onboarding/input.ts';
import { asciiLowerCase } from '../lib/mail-rules/ascii-lower-case.ts';
import type { Fault } from '../lib/mail-rules/fault.ts';
import { mailAddressFault, withLowerCaseDomain } from '../lib/mail-rules/mail-address-fault.ts';
import { sendingDomainFault } from '../lib/mail-rules/sending-domain-fault.ts';
import { contentFault, subjectFault } from '../lib/mail-rules/text-faults.ts';

/**
 * An onboarding's input with its domains in lower case, and every reason to refuse it before it starts. Beside the rules that
 * the Workflow repeats, those of the email service: what it would refuse days later is refused here.
 */
export function readOnboarding(fields: Readonly<Record<string, unknown>>): {
  input: OnboardTenantInput;
  problems: InputProblem[];
} {
  const input = inLowerCase(fields);
  const faults = mailFaults(input);
  const others = inputProblems(input).filter(({ field }) => !faults.some((fault) => fault.field === field));
  return { input: input as unknown as OnboardTenantInput, problems: [...others, ...faults] };
}

type Fields = Readonly<Record<string, unknown>>;

function inLowerCase(fields: Fields): Fields {
  const { domain, fromAddress, firstEmail } = fields;
  const inAddress = (address: unknown): unknown =>
    typeof address === 'string' ? withLowerCaseDomain(address) : address;
  return {
    ...fields,
    ...(typeof domain === 'string' ? { domain: asciiLowerCase(domain) } : {}),
    ...('fromAddress' in fields ? { fromAddress: inAddress(fromAddress) } : {}),
    ...(isFields(firstEmail) && 'recipient' in firstEmail
      ? { firstEmail: { ...firstEmail, recipient: inAddress(firstEmail['recipient']) } }
      : {}),
  };
}

function mailFaults({ domain, fromAddress, firstEmail }: Fields): InputProblem[] {
  const { recipient, subject, body } = isFields(firstEmail) ? firstEmail : {};
  const rules: [string, unknown, (text: string) => Fault | undefined][] = [
    ['domain', domain, sendingDomainFault],
    ['fromAddress', fromAddress, mailAddressFault],
    ['firstEmail.recipient', recipient, mailAddressFault],
    ['firstEmail.subject', subject, subjectFault],
    ['firstEmail.body', body, contentFault],
  ];
  return rules.flatMap(([field, value, rule]) => {
    const fault = typeof value === 'string' ? rule(value) : undefined;
    return fault === undefined ? [] : [{ field, problem: `is not valid: ${fault.detail}` }];
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
