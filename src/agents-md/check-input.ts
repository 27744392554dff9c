import { isObject, shown } from '../lib/json-value.ts';
import { HostName } from './code-host.ts';
import { codeHosts, isHostName } from './code-hosts.ts';

/** The input of one check: names only, never URLs. */
export interface CheckInput {
  /** 1 to 128 of A-Z a-z 0-9 . _ - */
  readonly producerId: string;
  /** The producer's public code-hosting organization; absent if none is known. */
  readonly organization?: string;
  /** Absent: the check finds it. */
  readonly primaryRepository?: string;
  /** @default 'github.com' */
  readonly host?: HostName;
}

export interface CheckInputFault {
  readonly field: string;
  /** The fault as a predicate of the field: `must be …; found …`, `is not a field of a check`. */
  readonly problem: string;
}

/** Not `.` or `..`, which disappear from a URL's path. */
const PRODUCER_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
const FIELDS = ['producerId', 'organization', 'primaryRepository', 'host'];

export const isProducerId = (value: unknown): value is string => matches(PRODUCER_ID, value);

/** Every problem of an unvalidated value; it is a CheckInput if there is none. */
export function checkInputFaults(input: unknown): CheckInputFault[] {
  if (!isObject(input)) return [{ field: '', problem: `must be an object; found ${shown(input)}` }];
  const problems = Object.keys(input)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ field, problem: 'is not a field of a check' }));
  const check = (field: string, holds: boolean, expected: string): void => {
    if (!holds) problems.push({ field, problem: `must be ${expected}; found ${shown(input[field])}` });
  };
  const { producerId, organization, primaryRepository, host = HostName.github } = input;
  check('producerId', isProducerId(producerId), '1 to 128 of A-Z a-z 0-9 . _ -');
  check('host', isHostName(host), `one of ${Object.keys(codeHosts).join(', ')}`);
  const rules = isHostName(host) ? codeHosts[host] : undefined;
  if (rules !== undefined && organization !== undefined) {
    check('organization', matches(rules.organizationPattern, organization), `${rules.organizationRule}, not a URL`);
  }
  if (rules !== undefined && primaryRepository !== undefined) {
    check(
      'primaryRepository',
      matches(rules.repositoryPattern, primaryRepository),
      `${rules.repositoryRule}, not a URL`,
    );
  }
  if (primaryRepository !== undefined && organization === undefined) {
    problems.push({ field: 'organization', problem: 'is required with primaryRepository' });
  }
  return problems;
}

/** The fields of an input, comparable by value: a host left out equals the default. */
export const comparableCheck = (input: Partial<CheckInput>): Record<string, unknown> => ({
  producerId: input.producerId,
  organization: input.organization,
  primaryRepository: input.primaryRepository,
  host: input.host ?? HostName.github,
});

/** Names of nested groups exceed Temporal's limit for a summary. */
const SUMMARY_CHARACTERS_MAX = 200;

export const summaryOf = (input: CheckInput): string =>
  `${input.producerId}: ${placeIn(input)}`.slice(0, SUMMARY_CHARACTERS_MAX);

/** `github.com/acme/widgets`, as far as it is known. */
export function placeIn({
  host = HostName.github,
  organization,
  primaryRepository,
}: Partial<Readonly<Record<'organization' | 'primaryRepository', string | null>>> & Pick<CheckInput, 'host'>): string {
  if (organization == null) return 'no organization';
  return [host, organization, ...(primaryRepository == null ? [] : [primaryRepository])].join('/');
}

const matches = (pattern: RegExp, value: unknown): value is string => typeof value === 'string' && pattern.test(value);
