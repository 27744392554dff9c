// Recipients with a known outcome, for trying out in production what follows it: attempts, events, webhooks and suppressions are those of any
// email, but no server is asked. No name under `invalid` exists (RFC 6761 section 6.4), so no email could reach a person in any case.
import { fault, type Fault } from '../../lib/mail-rules/fault.ts';
import { splitAddress } from '../../lib/mail-rules/mail-address-fault.ts';
import { bounceOfReply } from './classify-bounce.ts';

const SANDBOX_DOMAIN = 'sandbox.invalid';

const OUTCOMES = ['delivered', 'bounced', 'late-bounced', 'complained'] as const;
type SandboxOutcome = (typeof OUTCOMES)[number];

export const isSandbox = (recipient: string): boolean => splitAddress(recipient).domain === SANDBOX_DOMAIN;

/** Of `bounced@` and `bounced+anything@` the domain; undefined for any other address. */
export function sandboxOutcome(recipient: string): SandboxOutcome | undefined {
  if (!isSandbox(recipient)) return undefined;
  const [name = ''] = splitAddress(recipient).localPart.toLowerCase().split('+', 1);
  return OUTCOMES.find((outcome) => outcome === name);
}

/** @param recipient a valid address */
export function sandboxFault(recipient: string): Fault | undefined {
  if (!isSandbox(recipient) || sandboxOutcome(recipient) !== undefined) return undefined;
  const known = OUTCOMES.map((outcome) => `${outcome}@`).join(', ');
  const detail = `The recipients at ${SANDBOX_DOMAIN} are ${known}, each also with a label such as ${OUTCOMES[0]}+7@; found ${JSON.stringify(recipient)}.`;
  return fault('unknown_sandbox_recipient', detail);
}

/** Undefined for a recipient elsewhere. */
export function sandboxResult({ recipient, attempt }: { readonly recipient: string; readonly attempt: number }) {
  const outcome = sandboxOutcome(recipient);
  if (outcome === undefined) return undefined;
  const remoteMta = SANDBOX_DOMAIN;
  if (outcome !== 'bounced') {
    const reply = { replyCode: 250, enhancedCode: '2.1.5', text: 'Sandbox: nothing was sent' };
    return { kind: 'delivered' as const, remoteMta, reply };
  }
  const reply = { replyCode: 550, enhancedCode: '5.1.1', text: 'User unknown' };
  return {
    kind: 'bounced' as const,
    remoteMta,
    bounce: bounceOfReply({ reply, command: 'RCPT TO', remoteMta, attempt }),
  };
}
