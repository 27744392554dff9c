import type { FailureReason, ServerFailure } from '../resolver/answer.ts';
import { compareDkimKey, looksLikeDkimKey } from '../records/dkim-key.ts';
import type { FindingRule, Symptom } from './finding-rule.ts';
import { FindingCode } from './finding.ts';
import type { RecordFacts } from './record-facts.ts';

/** What is wrong with the zone's servers rather than with the record. */
export const serverRules = {
  [FindingCode.nsInconsistent]: {
    entersNothing: true,
    look: (facts) => {
      const verdicts = new Set(facts.judged.map((answer) => answer.verdict));
      verdicts.delete('unknown');
      if (verdicts.size < 2) return [];
      const differing = verdicts.has('found') ? 'found' : 'wrong';
      return facts.judged
        .filter((answer) => answer.verdict !== differing && answer.verdict !== 'unknown' && !isStaleKey(facts, answer))
        .map((answer) => ({
          server: answer.server,
          found: answer.values,
          fix: `The other servers of zone ${facts.zone} differ: wait until ${answer.server} has copied the zone or ask its operator, so that host ${facts.host} has the value ${facts.expected.value}`,
        }));
    },
    inWords: (finding) => `${finding.server ?? 'one server'} does not have what the zone's other servers have`,
  },
  [FindingCode.keyStale]: {
    look: (facts) =>
      facts.judged
        .filter((answer) => isStaleKey(facts, answer))
        .map(({ server, values }) => ({
          server,
          found: values,
          fix: `Wait until ${server} has copied zone ${facts.zone} as the other servers have; if it never does, enter the TXT record again: host ${facts.host} and value ${facts.expected.value}`,
        })),
    inWords: (finding) => `${finding.server ?? 'one server'} still has another key than the zone's other servers`,
  },
  [FindingCode.nsNotDelegated]: {
    entersNothing: true,
    look: ({ undelegated }) =>
      undelegated === undefined
        ? []
        : [
            {
              name: undelegated,
              found: [],
              fix: `The top-level domain names no servers for it: enter the name servers of ${undelegated} at its registrar`,
            },
          ],
    inWords: (finding) => `${finding.name} is not delegated to any name server`,
  },
  [FindingCode.nsLame]: {
    entersNothing: true,
    look: (facts) =>
      failed(facts, ({ reason, isResolver }) => isResolver !== true && isLame(reason)).map(
        ({ server, reason, severity }) => ({
          ...severity,
          server,
          found: [reason],
          fix: `Remove ${server} from the name servers of ${facts.zone} at the registrar, or configure the zone on it: it does not serve the zone.`,
        }),
      ),
    inWords: (finding) => `${finding.server ?? 'one server'} does not serve the zone (${finding.found.join(', ')})`,
  },
  [FindingCode.nsPrivateAddress]: {
    look: (facts) =>
      failed(facts, ({ reason }) => reason === 'privateAddress').map(({ server, severity }) => ({
        ...severity,
        server,
        found: [],
        fix: `Give name server ${server} a public address, or remove it from the name servers of ${facts.zone} at the registrar: it has a private address, where nobody outside its network finds the zone.`,
      })),
    inWords: (finding) => `${finding.server ?? 'one server'} has a private address`,
  },
  [FindingCode.serverFailure]: {
    entersNothing: true,
    look: (facts) =>
      failed(
        facts,
        ({ reason, isResolver }) => isResolver !== true && !isLame(reason) && reason !== 'privateAddress',
      ).map(({ server, reason, severity }) => ({
        ...severity,
        server,
        found: [reason],
        fix: `Nothing to change in the record: name server ${server} gave no answer (${reason}); if that lasts, ask its operator.`,
      })),
    inWords: (finding) => `${finding.server ?? 'one server'} gave no answer (${finding.found.join(', ')})`,
  },
  [FindingCode.resolverFailure]: {
    entersNothing: true,
    look: (facts) =>
      failed(facts, ({ isResolver }) => isResolver === true).map(({ server, reason, severity }) => ({
        ...severity,
        server,
        found: [reason],
        fix: `Nothing to change in the record: recursive resolver ${server}, which sendoff asks for the servers of ${facts.zone}, gave no answer (${reason}); if that lasts, ask its operator, or set DNS_RESOLVERS to other resolvers.`,
      })),
    inWords: (finding) =>
      `recursive resolver ${finding.server ?? ''} did not say where the name servers are (${finding.found.join(', ')})`,
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

/** A whole key that is not the expected one, on one server of several. */
function isStaleKey({ expected, judged }: RecordFacts, answer: RecordFacts['judged'][number]): boolean {
  if (expected.purpose !== 'dkim' || answer.verdict !== 'wrong' || answer.aliases.length > 0) return false;
  const [only, ...others] = answer.values.filter(looksLikeDkimKey);
  return (
    only !== undefined &&
    others.length === 0 &&
    compareDkimKey(expected.value, only) === 'different' &&
    judged.some(({ verdict }) => verdict === 'found')
  );
}

function isLame(reason: FailureReason): boolean {
  return reason === 'lame' || reason === 'refused';
}

/** A failing server is an error only where no other made a statement. */
function failed(
  facts: RecordFacts,
  which: (failure: ServerFailure) => boolean,
): readonly { server: string; reason: FailureReason; severity: Pick<Symptom, 'severity'> }[] {
  const severity: Pick<Symptom, 'severity'> = facts.status === 'inconclusive' ? {} : { severity: 'warning' };
  const first = new Map(
    facts.failures.filter(which).map((failure) => [`${failure.server} ${failure.reason}`, failure]),
  );
  return [...first.values()].map(({ server, reason }) => ({ server, reason, severity }));
}
