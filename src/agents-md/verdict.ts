import { counted } from '../lib/counted.ts';
import { checkFacts, type CheckFacts } from './check-facts.ts';
import type { CheckResult, CheckSoFar, LastConclusive, PreviousCheck, ResolvedRepository } from './check-result.ts';
import { isSameName } from './code-host.ts';
import { decided, type Decision, judge, type Judgement } from './judge.ts';
import { VISIBLE_CODE_POINTS_NEEDED } from './file-measurement.ts';
import { REQUESTS_MAX } from './next-step.ts';
import { type FileObservation, FoundIn, isSamePlace, RULE_VERSION } from './observation.ts';
import { fillIn, type Reason, reasons } from './reasons.ts';

/**
 * The result of what was observed; inconclusive if a request was left to make.
 *
 * @param checkedAt ISO 8601, UTC
 */
export function verdict(soFar: CheckSoFar, checkedAt: string): CheckResult {
  const facts = checkFacts(soFar);
  const decision = decisionOf(judge(facts));
  const { reasonCode, by, foundAt, viaSymlink } = decision;
  const reason: Reason = reasons[reasonCode];
  const file = by?.kind === 'file' ? by : null;
  const lastConclusive = lastConclusiveOf(facts, decision, checkedAt);
  const words = wordsOf(facts, decision);
  return {
    checkId: 'agents-md',
    ruleVersion: RULE_VERSION,
    status: reason.outcome === null ? 'inconclusive' : 'conclusive',
    outcome: reason.outcome,
    reasonCode,
    message: fillIn(reason.message, words),
    remediation: {
      summary: reason.remedy.summary,
      steps: reason.remedy.steps.map((step) => fillIn(step, words)),
    },
    subject: facts.subject,
    foundIn: foundAt?.in ?? null,
    measurement: foundAt === null || !file?.measurement ? null : { ...file.measurement, viaSymlink },
    evidence: file === null ? null : evidenceOf(file),
    attempts: soFar.observations.map(({ url, httpStatus, answer, redirects, detail, observedAt }) => ({
      url,
      httpStatus,
      answer,
      redirects,
      detail,
      observedAt,
    })),
    nearMisses: file?.namedFiles ?? [],
    checkedAt,
    unchangedSince: lastConclusive?.unchangedSince ?? null,
    lastConclusive,
  };
}

/** What this check leaves for the next one of the producer. */
export function carryOver(soFar: CheckSoFar, result: CheckResult): PreviousCheck {
  const facts = checkFacts(soFar);
  const read = facts.files.filter(({ answer }) => answer === 'text');
  const gone = facts.files.filter(({ answer }) => answer === 'absent');
  const stillStored = (facts.previous?.observations ?? []).filter(
    (stored) => ![...read, ...gone].some((seen) => isSamePlace(seen.place, stored.place)),
  );
  return {
    result,
    // A file at each place and its target are at most four; the rest is left over from renamed repositories.
    observations: [...read, ...stillStored].slice(0, 4),
    resolved: stillResolved(facts, gone),
    lastConclusive: result.outcome === null ? (soFar.previous?.lastConclusive ?? null) : result.lastConclusive,
  };
}

/** A repository that lost its file may have been renamed or deleted: the next check asks for the primary one again. */
function stillResolved(
  { resolved, resolution, lastConclusive: last }: CheckFacts,
  gone: readonly FileObservation[],
): ResolvedRepository | null {
  const hadIt = last?.foundIn === FoundIn.primary && isSameName(last.repository, resolved?.repository ?? null);
  const isGone = gone.some(({ place }) => place.in === FoundIn.primary);
  return isGone && hadIt && resolution === undefined ? null : resolved;
}

function decisionOf(judgement: Judgement): Decision {
  if (judgement.open === null) return judgement;
  if (judgement.open === 'file' && judgement.otherwise !== undefined) return judgement.otherwise;
  const confirms = judgement.open === 'file' && judgement.look === 'second';
  return decided(confirms ? 'absence_unconfirmed' : 'requests_spent');
}

function evidenceOf(file: FileObservation): NonNullable<CheckResult['evidence']> {
  const { url, redirects, httpStatus, etag, sha256, excerpt } = file;
  return { url, finalUrl: redirects.at(-1) ?? url, httpStatus, etag, sha256, excerpt };
}

function lastConclusiveOf(
  { lastConclusive: before }: CheckFacts,
  { reasonCode, by, foundAt }: Decision,
  checkedAt: string,
): LastConclusive | null {
  const { outcome } = reasons[reasonCode];
  if (outcome === null) return before;
  const now = {
    outcome,
    reasonCode,
    foundIn: foundAt?.in ?? null,
    repository: foundAt?.repository ?? null,
    sha256: by?.kind === 'file' ? by.sha256 : null,
  };
  const isSame =
    before?.outcome === now.outcome &&
    before.reasonCode === now.reasonCode &&
    before.foundIn === now.foundIn &&
    before.sha256 === now.sha256;
  return { ...now, checkedAt, unchangedSince: isSame ? before.unchangedSince : checkedAt };
}

function wordsOf(
  { subject, places }: CheckFacts,
  { by, foundAt, viaSymlink, detail }: Decision,
): Record<string, string> {
  const { producerId, host, organization } = subject;
  const file = by?.kind === 'file' ? by : null;
  const repositories = places.map((place) => `${place.organization}/${place.repository}`);
  return {
    producer: producerId,
    host,
    organization: organization ?? 'the organization',
    place: foundAt === null ? 'the repository' : `${foundAt.organization}/${foundAt.repository}`,
    places: repositories.join(' or ') || `the repositories of ${organization ?? producerId}`,
    file: viaSymlink === null ? 'AGENTS.md' : `AGENTS.md (a symlink to ${viaSymlink})`,
    visibleCharacters: counted(file?.measurement?.visibleCodePoints ?? 0, 'visible character'),
    needed: String(VISIBLE_CODE_POINTS_NEEDED),
    named: file?.namedFiles.length ? file.namedFiles.join(', ') : 'another location',
    requests: String(REQUESTS_MAX),
    detail: detail ?? by?.detail ?? 'no details are known',
  };
}
