import type { CollectedRecord } from '../collect/collected-record.ts';
import type { DomainCheck, RecordCheck } from '../domain-check.ts';
import { findingRules } from './finding-rules.ts';
import { isAtOrBelow } from '../names/domain-name.ts';
import type { Finding, FindingCode } from './finding.ts';
import { isTenantZone } from '../names/form-place.ts';
import { valuesOf } from '../records/judge-answers.ts';
import { zoneServersOf } from '../resolver/zone-servers.ts';
import { recordFacts, type RecordFacts } from './record-facts.ts';
import { describeProblem, problemText, type FindingRule } from './finding-rule.ts';

/** Derives the findings from the collected answers. Pure. */
export function diagnose(domain: string, collected: readonly CollectedRecord[]): DomainCheck {
  const isKnown = collected.some((record) => showsDomain(domain, record));
  const about = { domain, isKnown, expected: collected.map(({ expected }) => expected) };
  const records = collected.map((record) => recordCheck(recordFacts(about, record), record));
  const required = records.filter((_, at) => collected[at]?.expected.required === true);
  return {
    domain,
    zone: zoneOf(domain, collected),
    verified: required.length > 0 && required.every((record) => record.status === 'found'),
    conclusive: required.length > 0 && required.every((record) => record.status !== 'inconclusive'),
    records,
  };
}

/** Shows that the domain is registered: a name at or below it exists, or a tenant's zone holds it. */
function showsDomain(domain: string, { at }: CollectedRecord): boolean {
  if (!isAtOrBelow(at.name, domain)) return false;
  return (
    isTenantZone(at.zone) ||
    at.answers.some(
      (answer) =>
        answer.kind === 'found' ||
        answer.kind === 'noData' ||
        (answer.kind === 'nxDomain' && answer.aliases.length > 0),
    )
  );
}

function recordCheck(facts: RecordFacts, record: CollectedRecord): RecordCheck {
  const { purpose, type, name } = facts.expected;
  const findings = findingsOf(facts);
  // The value in a record of another type, or that of another record, is something wrong, not nothing.
  const isWrong = findings.some(({ code }) => code === 'wrong_type' || code === 'value_of_other_record');
  return {
    purpose,
    type,
    name,
    host: facts.host,
    zone: facts.zoneFound ? facts.zone : null,
    nameServers: isTenantZone(record.at.zone) ? zoneServersOf(record.at) : [],
    status: facts.status === 'missing' && isWrong ? 'wrong' : facts.status,
    found: valuesOf(record.at.answers),
    findings,
  };
}

function findingsOf(facts: RecordFacts): readonly Finding[] {
  const { type, name, value } = facts.expected;
  const rules = Object.entries(findingRules) as [FindingCode, FindingRule][];
  const findings: Finding[] = [];
  for (const lastResort of [false, true]) {
    if (lastResort && findings.some((finding) => finding.severity === 'error')) break;
    for (const [code, rule] of rules) {
      if ((rule.lastResort === true) !== lastResort) continue;
      for (const { severity = 'error', action, entersNothing = rule.entersNothing, ...symptom } of rule.check(facts)) {
        const seen = { name, ...symptom };
        findings.push({
          code,
          severity,
          expected: value,
          ...seen,
          fix: `${describeProblem(facts.expected, problemText(rule, seen))} ${action}`,
          ...(entersNothing !== true && { publish: { type, host: facts.host, value } }),
        });
      }
    }
  }
  return findings;
}

/** The longest zone that contains the domain; a delegated `_domainkey` is below it. */
function zoneOf(domain: string, collected: readonly CollectedRecord[]): string | null {
  const zones = collected
    .map((record) => record.at.zone)
    .filter((zone): zone is string => isTenantZone(zone) && isAtOrBelow(domain, zone));
  return zones.sort((a, b) => b.length - a.length)[0] ?? null;
}
