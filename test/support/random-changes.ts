import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { newWatch } from '../../src/onboarding/domain-watch.ts';
import type { OnboardingFailure } from '../../src/onboarding/failures.ts';
import type { OnboardingOutcome } from '../../src/onboarding/onboarding-record.ts';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import type { RecordChange } from '../../src/onboarding/record-change.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { type Chances } from './seeded-chances.ts';
import { validInput } from './valid-input.ts';

const kinds = [
  ...['announce', 'begin', 'adopt', 'enter', 'enter', 'note', 'note', 'note', 'noteAttempt', 'noteAttempt'],
  ...['noteStuck', 'extend', 'beginUndo', 'end', 'watch', 'explain', 'addEvent'],
] as RecordChange['kind'][];
const outcomes: OnboardingOutcome[] = ['onboarded', 'failed', 'cancelled', 'terminated', 'terminated'];
const stages = [...Object.values(Stage), Stage.awaitingDomain, Stage.awaitingDomain, Stage.awaitingDomain];
const activities = ['createSender', 'checkDomain'];
const ids = ['keyId', 'webhookId', 'domainId', 'senderId', 'emailId'] as const;

const unexplained = {
  ...{ category: 'unknown', permanentFor: null, reason: 'Unknown', smtpCode: null },
  ...{ enhancedCode: null, diagnostic: null, remoteMta: null },
};

/** A change of one tenant's record, by a run of one of three attempts: in the order of its time, late, or from a Reset. */
export function randomChange(chances: Chances): RecordChange {
  const { pick } = chances;
  const maybe = <T>(value: T): T | undefined => (chances.once(2) ? value : undefined);
  const hour = () => new Date(Date.UTC(2026, 0, 2, chances.below(90))).toISOString();

  const attempt = chances.once(10) ? pick([2, 3]) : 1;
  const tenantId = validInput().tenantId;
  const at = hour();
  const stagesEntered = maybe(Math.floor(chances.between(1, 9)));
  // The clocks of the API and of Temporal differ.
  const startedAt = `2026-01-01T0${attempt}:00:0${pick([0, 0, 0, 1])}.000Z`;
  const by = {
    ...{ tenantId, attemptId: `attempt-${attempt}`, runId: `run-${attempt}-${pick([1, 1, 1, 2])}`, at },
    ...(stagesEntered !== undefined && { stagesEntered }),
    ...(chances.once(2) && { startedAt }),
  };
  const attempted = { ...by, startedAt, startedWith: null };
  const records = (): DnsRecord[] => [
    {
      ...{ purpose: 'dkim', type: 'TXT', name: 'k1.acme.com', host: 'k1', zone: 'acme.com', value: 'v=DKIM1; p=AA' },
      ...{ required: true, status: pick(['missing', 'wrong', 'found']), found: [] },
      findings: maybe([{ code: pick(['not_published', 'host_doubled']), name: 'x.acme.com', fix: 'fix' }]) ?? [],
    },
  ];
  const made = (): Partial<Onboarding> => {
    const stage = maybe(pick(stages));
    return {
      [pick(ids)]: `id-${pick([1, 2])}`,
      ...(stage !== undefined && { stage }),
      ...maybe({ records: records() }),
    };
  };
  const onboarding = (stage: Stage): Onboarding => ({
    ...{ ...newOnboarding(validInput()), domainId: 'id-1', ...maybe(made()), stage },
    stages: [{ stage: Stage.issuingKey, at: startedAt }],
  });
  const details = { stage: Stage.awaitingDomain, exit: null, undo: [] };
  const bounced = { ...details, ...unexplained, emailId: 'id-1', recipient: 'ada@inbox.test' };
  const failures = [
    { type: 'ProviderUnavailable', message: 'm', details },
    { type: 'EmailBounced', message: 'm', details: bounced },
  ] as unknown as OnboardingFailure[];
  const failure = maybe(pick(failures)) ?? null;

  const kind = pick(kinds);
  switch (kind) {
    case 'announce':
    case 'begin':
      return { kind, by: { ...attempted, onboarding: onboarding(Stage.issuingKey) } };
    case 'adopt':
      return { kind, by: { ...attempted, onboarding: onboarding(pick(stages)) } };
    case 'enter': {
      const verificationDeadline = maybe(hour());
      const stage = pick(stages);
      return { kind, by, made: { stage, ...(verificationDeadline !== undefined && { verificationDeadline }) } };
    }
    case 'note':
      return { kind, by, made: made(), checkedAt: maybe(at) };
    case 'noteAttempt': {
      const activity = pick(activities);
      const failed =
        maybe({ activity, attempt: pick([1, 2, 3]), message: 'm', at: hour(), nextAttemptAt: null }) ?? null;
      return { kind, by, activity, failed, records: failed === null ? undefined : maybe(records()) };
    }
    case 'noteStuck': {
      const stuck = maybe({ since: hour(), message: 'm' }) ?? null;
      return { kind, by: { tenantId, attemptId: by.attemptId, at }, stuck };
    }
    case 'extend':
      return { kind, by: { tenantId, attemptId: by.attemptId, at }, deadline: hour() };
    case 'beginUndo':
      return { kind, by: { ...attempted, onboarding: onboarding(Stage.undoing), failure } };
    case 'end': {
      const recordedRunId = chances.once(4) ? `run-${attempt}-${pick([1, 2])}` : undefined;
      const ending = { outcome: pick(outcomes), result: null, failure, onboarding: onboarding(Stage.done) };
      return { kind, by: { ...attempted, ...ending, ...(recordedRunId !== undefined && { recordedRunId }) } };
    }
    case 'watch': {
      const findings = [{ code: 'host_doubled', name: 'x.acme.com', fix: 'fix', purpose: 'dkim' }];
      const drifted = { ...newWatch(at), state: 'drifted' as const, findings };
      const event = { type: 'domain.drifted', data: { findings } } as const;
      const watched = pick([newWatch(at), drifted]);
      return { kind, by: { tenantId, at }, watched, events: maybe([event]) ?? [], records: maybe(records()) };
    }
    case 'explain': {
      const bounce = { ...unexplained, category: 'recipient', reason: 'No such mailbox', diagnostic: '550' };
      return { kind, by: { tenantId, at }, emailId: 'id-1', bounce };
    }
    case 'addEvent':
      return { kind, by: { tenantId, at }, event: { type: 'onboarding.requested', data: { by: 'ada' } } };
  }
}
