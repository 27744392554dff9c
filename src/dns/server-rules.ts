import type { FailureReason } from './answer.ts';
import type { DiagnosisRule, Symptom } from './diagnosis-rule.ts';
import { FindingCode } from './finding.ts';
import type { RecordFacts } from './record-facts.ts';

/** What is wrong with the zone's servers rather than with the record. */
export const serverRules = {
  [FindingCode.nsInconsistent]: {
    look: (facts) => {
      const verdicts = new Set(facts.judged.map((answer) => answer.verdict));
      if (verdicts.size < 2) return [];
      const differing = verdicts.has('found') ? 'found' : 'wrong';
      return facts.judged
        .filter((answer) => answer.verdict !== differing)
        .map((answer) => ({
          server: answer.server,
          found: answer.values,
          fix: `Wait until ${answer.server} has copied zone ${facts.zone}, or have its operator do so: it must give host ${facts.host} the value ${facts.expected.value} as the other servers do.`,
        }));
    },
    inWords: (finding) => `${finding.server ?? 'one server'} does not have what the zone's other servers have`,
  },
  [FindingCode.nsLame]: {
    look: (facts) =>
      failed(facts, (reason) => isLame(reason)).map(({ server, reason, severity }) => ({
        ...severity,
        server,
        found: [reason],
        fix: `Remove ${server} from the name servers of ${facts.zone} at the registrar, or configure the zone on it: it does not serve the zone.`,
      })),
    inWords: (finding) => `${finding.server ?? 'one server'} does not serve the zone (${finding.found.join(', ')})`,
  },
  [FindingCode.serverFailure]: {
    look: (facts) =>
      failed(facts, (reason) => !isLame(reason)).map(({ server, reason, severity }) => ({
        ...severity,
        server,
        found: [reason],
        fix: `Nothing to change in the record: name server ${server} gave no answer (${reason}); if that lasts, ask its operator.`,
      })),
    inWords: (finding) => `${finding.server ?? 'one server'} gave no answer (${finding.found.join(', ')})`,
  },
} satisfies Partial<Record<FindingCode, DiagnosisRule>>;

function isLame(reason: FailureReason): boolean {
  return reason === 'lame' || reason === 'refused';
}

/** A failing server is an error only where no other made a statement. */
function failed(
  facts: RecordFacts,
  which: (reason: FailureReason) => boolean,
): readonly { server: string; reason: FailureReason; severity: Pick<Symptom, 'severity'> }[] {
  const severity: Pick<Symptom, 'severity'> = facts.status === 'inconclusive' ? {} : { severity: 'warning' };
  return facts.failures
    .filter(({ reason }) => which(reason))
    .map(({ server, reason }) => ({ server, reason, severity }));
}
