import { ProblemError, problemOf } from '../../lib/http/problem.ts';
import { problemCodes } from '../../lib/http/problem-codes.ts';
import { type Relay, type RelayFault, startRelay } from '../relay.ts';

const code = 'domain_not_verified';
const { status, when } = problemCodes[code];
const refused: RelayFault = {
  when: 'before',
  answer: {
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify(problemOf(new ProblemError(code, when), 'req_demo')),
  },
};

/** Answers POST /senders as the email service does for a domain that is not verified; forwards every other request. */
export async function startSenderRefusal(emailServiceUrl: string): Promise<Relay> {
  const relay = await startRelay(emailServiceUrl);
  relay.fault = ({ method, path }) => (method === 'POST' && path === '/senders' ? refused : undefined);
  return relay;
}
