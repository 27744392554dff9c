import { createHash } from 'node:crypto';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';

const LENGTH_MAX = 128;
/** `/` of a group of GitLab is no character of an id, and `_` is what stands between the parts. */
const PLAIN = /^[A-Za-z0-9.-]+$/;

/**
 * The producer whose check is asked for by what is checked: `github.com_acme_widgets`. Never the same for two subjects:
 * names that would make it ambiguous or too long are cut, and followed by their hash after `__`, which no other id has.
 */
export function defaultProducerId({
  host = HostName.github,
  organization,
  primaryRepository,
}: Required<Pick<CheckInput, 'organization'>> & Omit<CheckInput, 'producerId'>): string {
  const parts = [host, organization, ...(primaryRepository === undefined ? [] : [primaryRepository])];
  const plain = parts.join('_');
  if (parts.every((part) => PLAIN.test(part)) && plain.length <= LENGTH_MAX) return plain;
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  const readable = parts.map((part) => part.replaceAll(/[^A-Za-z0-9.-]+/g, '-').slice(0, 28));
  return `${readable.join('_')}__${hash}`;
}
