import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';

/** The fields in which two checks differ; one left out is the same as its default. */
export function differingFields(left: Partial<CheckInput>, right: Partial<CheckInput>): string[] {
  const other = fieldsOf(right);
  return Object.entries(fieldsOf(left)).flatMap(([field, value]) => (value === other[field] ? [] : [field]));
}

const fieldsOf = (input: Partial<CheckInput>): Record<string, unknown> => ({
  producerId: input.producerId,
  organization: input.organization,
  primaryRepository: input.primaryRepository,
  host: input.host ?? HostName.github,
});
