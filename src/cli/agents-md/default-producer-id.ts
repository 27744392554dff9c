import { createHash } from 'node:crypto';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';

const LENGTH_MAX = 128;
/** Without `/`, which an id cannot contain, and `_`, which separates the parts. */
const PLAIN = /^[A-Za-z0-9.-]+$/;

/**
 * The ID of a producer for which the user gave none, such as `github.com_acme_widgets`. It is unique: names that would make it ambiguous
 * or too long are shortened, followed by `__` and a hash.
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
