import { fault, type Fault } from './fault.ts';
import { mailAddressFault, withNormalDomain } from './mail-address-fault.ts';
import { oneLineFault } from './text-faults.ts';

const DISPLAY_NAME_CHARACTERS_MAX = 200;
/** In UTF-16 units: a name whose every character is escaped, and the longest address. */
const MAILBOX_LENGTH_MAX = 1_000;
const FOUND_LENGTH_MAX = 254;

interface GivenSender {
  /** `hello@acme.com`, `Acme <hello@acme.com>` or `"Acme, Inc." <hello@acme.com>` (RFC 5322 section 3.4). */
  readonly address: string;
  /** May repeat the name in `address`. */
  readonly name?: string | undefined;
}

interface ReadSender {
  /** With its domain in lower case; as given if it cannot be read. */
  readonly address: string;
  readonly name: string | undefined;
  readonly faults: readonly SenderFault[];
}

interface SenderFault extends Fault {
  readonly field: keyof GivenSender;
}

/** The sender of an email, whose name may stand in its address, beside it, or in both. */
export function readSender(given: GivenSender): ReadSender {
  const { fault: unreadable, ...mailbox } = parseMailbox(given.address);
  const inAddress = unreadable ?? mailAddressFault(mailbox.address) ?? displayNameFault(mailbox.name);
  const beside = displayNameFault(given.name) ?? contradiction(mailbox.name, given.name);
  return {
    address: withNormalDomain(mailbox.address),
    name: given.name ?? mailbox.name,
    faults: [
      ...(inAddress === undefined ? [] : [{ field: 'address' as const, ...inAddress }]),
      ...(beside === undefined ? [] : [{ field: 'name' as const, ...beside }]),
    ],
  };
}

export function displayNameFault(name: string | undefined): Fault | undefined {
  if (name === undefined) return undefined;
  if (name.trim() === '') return fault('too_short', 'Expected a display name; found no visible character.');
  const characters = Array.from(name).length;
  if (characters <= DISPLAY_NAME_CHARACTERS_MAX) return oneLineFault(name);
  const detail = `A display name has at most ${DISPLAY_NAME_CHARACTERS_MAX} characters; found ${characters}.`;
  return fault('too_long', detail);
}

function contradiction(inAddress: string | undefined, beside: string | undefined): Fault | undefined {
  if (inAddress === undefined || beside === undefined || inAddress === beside) return undefined;
  const detail = `Expected the same display name as in the address, ${JSON.stringify(inAddress)}, or none; found ${JSON.stringify(beside)}.`;
  return fault('contradictory', detail);
}

interface Mailbox {
  readonly address: string;
  readonly name?: string;
  readonly fault?: Fault;
}

function parseMailbox(text: string): Mailbox {
  const refused = (fault: Fault): Mailbox => ({ address: text, fault });
  if (!/[<>" ]/.test(text)) return { address: text };
  if (text.length > MAILBOX_LENGTH_MAX) {
    const detail = `An address with its display name has at most ${MAILBOX_LENGTH_MAX} characters; found ${text.length}.`;
    return refused(fault('too_long', detail));
  }
  const notOneLine = oneLineFault(text);
  if (notOneLine !== undefined) return refused(notOneLine);
  const { words, rest } = wordsOf(text);
  const address = /^<([^<>]*)> *$/.exec(rest)?.[1];
  if (address === undefined) return refused(malformed(text, rest));
  const name = words.join(' ');
  return name === '' ? { address } : { address, name };
}

/** Quoted strings, and any text without what RFC 5322 section 3.2.3 reserves. */
function wordsOf(text: string): { words: string[]; rest: string } {
  const word = /"((?:[^"\\]|\\.)*)" *|([^ "<>()[\]:;@\\,]+) */sy;
  const words: string[] = [];
  let end = text.length - text.trimStart().length;
  for (;;) {
    word.lastIndex = end;
    const match = word.exec(text);
    if (match === null) return { words, rest: text.slice(end) };
    words.push(match[1]?.replace(/\\(.)/gs, '$1') ?? match[2] ?? '');
    end = word.lastIndex;
  }
}

function malformed(text: string, rest: string): Fault {
  const isReserved = /^[()[\]:;@\\,]/.test(rest) && text.includes('<');
  const advice = isReserved ? `, with a name that contains ${rest.charAt(0)} in double quotes` : '';
  const found = JSON.stringify(text.slice(0, FOUND_LENGTH_MAX));
  return fault('malformed', `Expected hello@example.com or Display Name <hello@example.com>${advice}; found ${found}.`);
}
