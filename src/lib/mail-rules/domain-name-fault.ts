import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { fault, type Fault } from './fault.ts';

/** RFC 1035 section 2.3.4, written with dots and without a final one. */
const NAME_LENGTH_MAX = 253;
const LABEL_LENGTH_MAX = 63;
/** RFC 1123 section 2.1. */
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Why `name` cannot be the domain of an email address (RFC 1035, RFC 1123), or undefined.
 * @param name lower case, without a final dot
 */
export function domainNameFault(name: string): Fault | undefined {
  if (name.length > NAME_LENGTH_MAX) {
    return fault(
      'too_long',
      `A domain name has at most ${NAME_LENGTH_MAX} characters (RFC 1035); found ${name.length}.`,
    );
  }
  if (isIP(name) !== 0) return fault('not_a_domain', `Expected a domain name; found the IP address ${name}.`);
  if (/[^\0-\x7f]/.test(name)) return internationalNameFault(name);
  const labels = name.split('.');
  if (labels.length < 2) {
    return fault(
      'not_a_domain',
      `Expected a domain name with at least two labels, as in example.com; found ${quoted(name)}.`,
    );
  }
  return labels.map((label) => labelFault(label, name)).find((each) => each !== undefined) ?? topLevelFault(labels);
}

function labelFault(label: string, name: string): Fault | undefined {
  if (label === '') {
    return fault('malformed', `${quoted(name)} has an empty label. Remove double, leading and final dots.`);
  }
  if (label.length > LABEL_LENGTH_MAX) {
    return fault(
      'too_long',
      `A label has at most ${LABEL_LENGTH_MAX} characters (RFC 1035); found one with ${label.length}.`,
    );
  }
  if (!LDH_LABEL.test(label)) {
    return fault('malformed', `A label may contain only letters, digits and inner hyphens; found ${quoted(label)}.`);
  }
  // From Node 24, domainToASCII accepts every name in ASCII.
  if (label.startsWith('xn--') && !/[^\0-\x7f]/.test(domainToUnicode(label))) {
    return fault('malformed', `The label ${quoted(label)} is not a valid A-label (RFC 5890).`);
  }
  return undefined;
}

/** Software reads a name that ends in a number as an IPv4 address. */
function topLevelFault(labels: readonly string[]): Fault | undefined {
  const last = labels.at(-1) ?? '';
  return /^\d+$/.test(last)
    ? fault('not_a_domain', `The last label must not be a number; found ${quoted(last)}.`)
    : undefined;
}

function internationalNameFault(name: string): Fault {
  const ascii = domainToASCII(name);
  return ascii === ''
    ? fault('malformed', `${quoted(name)} is not a valid internationalised domain name (RFC 5891).`)
    : fault(
        'not_ascii',
        `Expected a domain name in ASCII; found ${quoted(name)}. Replace it with its A-label form ${ascii}`,
      );
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, LABEL_LENGTH_MAX));
