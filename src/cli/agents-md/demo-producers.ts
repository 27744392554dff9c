import type { CheckInput } from '../../agents-md/check-input.ts';
import type { CheckResult } from '../../agents-md/check-result.ts';
import type { HostedRepository } from '../../dev/code-host/answer-request.ts';
import type { Throttle } from '../../dev/code-host/start-code-host.ts';

export interface DemoProducer {
  readonly input: CheckInput;
  readonly expected: Pick<CheckResult, 'outcome' | 'reasonCode' | 'foundIn'>;
}

const substantial = (name: string): string => `# ${name}

How to work on ${name}.

## Build and test

- \`npm ci\` installs, \`npm test\` runs every test in less than a minute.
- A change comes with its test. The API is described in \`openapi.yaml\`; its clients are generated from it.
`;

export const demoRepositories: readonly HostedRepository[] = [
  { organization: 'aurora-api', name: 'aurora', stars: 310, files: { 'AGENTS.md': substantial('Aurora') } },
  { organization: 'aurora-api', name: 'examples', stars: 12, files: {} },
  { organization: 'borealis', name: 'maps', stars: 45, files: { 'AGENTS.md': '# Maps\n\nTo be written.\n' } },
  { organization: 'cirrus', name: 'payments', stars: 97, files: { 'README.md': '# Payments\n' } },
  { organization: 'cirrus', name: '.github', stars: 1, files: { 'AGENTS.md': substantial('Cirrus') } },
  { organization: 'dune', name: 'ledger', stars: 8, files: { 'README.md': '# Ledger\n' } },
  { organization: 'fjord', name: 'tides', stars: 60, files: { 'AGENTS.md': substantial('Tides') } },
];

/** Long enough to show a waiting check. */
export const demoThrottles: readonly Throttle[] = [{ organization: 'fjord', times: 1, retryAfterSeconds: 2 }];

/** One producer per kind of result, and one whose host limits the request rate first. */
export const demoProducers: readonly DemoProducer[] = [
  {
    // Only the organization is known: the check finds the primary repository.
    input: { producerId: 'aurora', organization: 'aurora-api' },
    expected: { outcome: 'pass', reasonCode: 'content_found', foundIn: 'primary' },
  },
  {
    input: { producerId: 'borealis', organization: 'borealis', primaryRepository: 'maps' },
    expected: { outcome: 'partial', reasonCode: 'stub', foundIn: 'primary' },
  },
  {
    input: { producerId: 'cirrus', organization: 'cirrus', primaryRepository: 'payments' },
    expected: { outcome: 'pass', reasonCode: 'content_found', foundIn: 'orgFallback' },
  },
  {
    input: { producerId: 'dune', organization: 'dune', primaryRepository: 'ledger' },
    expected: { outcome: 'fail', reasonCode: 'file_not_found', foundIn: null },
  },
  {
    input: { producerId: 'ember' },
    expected: { outcome: 'fail', reasonCode: 'no_organization', foundIn: null },
  },
  {
    input: { producerId: 'fjord', organization: 'fjord', primaryRepository: 'tides' },
    expected: { outcome: 'pass', reasonCode: 'content_found', foundIn: 'primary' },
  },
];
