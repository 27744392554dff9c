import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { OnboardTenantInput } from '../../../src/onboarding/input.ts';
import type { FailureType } from '../../../src/onboarding/failures.ts';
import type { Onboarding } from '../../../src/onboarding/onboarding.ts';
import { rowOf, type StepName } from '../../../src/onboarding/steps.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { exitKey, reasonKey, stageKey } from '../../../src/workflows/search-attributes.ts';
import {
  currentDetailsOf,
  failureOf,
  inputOf,
  type OnboardingEnvironment,
  recipientOf,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import {
  answeredWith,
  bounce,
  type Call,
  downForHours,
  notVerified,
  type Script,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';

/** Each tenant meets its own trouble, until `fixed` names it. */
function troubles(fixed: ReadonlySet<string>): Partial<Script> {
  const troubled = (tenantId: string, name: string): boolean => tenantId === name && !fixed.has(name);
  return {
    verified: (tenantId) => !troubled(tenantId, 'f1'),
    outcome: (recipient) => {
      // What bounced stays bounced.
      if (recipient === recipientOf('f3')) return { status: 'bounced', bounce };
      if (recipient === recipientOf('unconfirmed') && !fixed.has('unconfirmed')) return 'queued';
      return { status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' };
    },
    before: (call: Call, tenantId) => {
      if (call === 'createSender' && troubled(tenantId, 'f2')) throw notVerified(call);
      if (call === 'sendEmail' && troubled(tenantId, 'f2-late')) throw notVerified(call);
      if (call === 'createDomain' && troubled(tenantId, 'rejected'))
        throw answeredWith(call, { httpStatus: 422, code: 'validation_failed', requestId: 'req_1' });
      if (call === 'createDomain' && troubled(tenantId, 'unavailable')) throw downForHours(call);
    },
  };
}

type Kept = 'kept' | 'undone';
interface ExpectedEnd {
  type: FailureType;
  exit: 'F1' | 'F2' | 'F3' | null;
  stage: Onboarding['stage'];
  message: string;
  /** What the type's own details are. */
  details: (state: Onboarding) => object;
  /** Newest first. */
  undo: [StepName, Kept][];
  input?: Partial<OnboardTenantInput>;
}

const domainKept: ExpectedEnd['undo'] = [
  ['registerDomain', 'kept'],
  ['registerWebhook', 'undone'],
  ['issueApiKey', 'undone'],
];
const everyStepKept: ExpectedEnd['undo'] = [
  ['sendFirstEmail', 'kept'],
  ['createSender', 'kept'],
  ['registerDomain', 'kept'],
  ['registerWebhook', 'kept'],
  ['issueApiKey', 'kept'],
];

const ends: Record<string, ExpectedEnd> = {
  f1: {
    type: 'DomainVerificationTimedOut',
    exit: 'F1',
    stage: 'awaitingDomain',
    message: 'f1.test was not verified within 1 hour. Publish',
    input: { verificationWindow: '1 hour' },
    details: ({ domainId }) => {
      const name = 'k1._domainkey.f1.test';
      const value = `v=DKIM1; k=rsa; p=${domainId}`;
      return {
        domainId,
        windowHours: 1,
        conclusive: true,
        polls: expect.any(Number) as number,
        lastObservedAt: expect.stringMatching(/Z$/) as string,
        records: [
          {
            purpose: 'dkim',
            type: 'TXT',
            name,
            host: 'k1._domainkey',
            zone: 'f1.test',
            value,
            required: true,
            status: 'missing',
            found: [],
            findings: [{ code: 'not_published', name, fix: `Publish ${value} at ${name}.` }],
            nameServers: [{ name: 'ns1.f1.test', answered: true }],
          },
        ],
      };
    },
    undo: domainKept,
  },
  f2: {
    type: 'DomainNotVerified',
    exit: 'F2',
    stage: 'creatingSender',
    message: 'The provider refused the sender 6 times because f2.test is not verified',
    details: ({ domainId }) => ({ domainId, times: 6, lastStatus: 'verified' }),
    undo: domainKept,
  },
  'f2-late': {
    type: 'DomainNotVerified',
    exit: 'F2',
    stage: 'sendingFirstEmail',
    message: 'POST /emails: 422 domain_not_verified',
    details: ({ domainId }) => ({ domainId, times: 1, lastStatus: 'unknown' }),
    undo: [['createSender', 'kept'], ...domainKept],
  },
  f3: {
    type: 'EmailBounced',
    exit: 'F3',
    stage: 'awaitingDelivery',
    message: 'The email to ada@f3-inbox.test bounced: The address does not exist\n',
    details: ({ emailId }) => ({ emailId, recipient: recipientOf('f3'), ...bounce }),
    undo: everyStepKept,
  },
  rejected: {
    type: 'ProviderRejected',
    exit: null,
    stage: 'registeringDomain',
    message: 'POST /domains: 422 validation_failed',
    details: () => ({ step: 'registerDomain', httpStatus: 422, code: 'validation_failed', requestId: 'req_1' }),
    undo: [
      ['registerDomain', 'undone'],
      ['registerWebhook', 'undone'],
      ['issueApiKey', 'undone'],
    ],
  },
  unavailable: {
    type: 'ProviderUnavailable',
    exit: null,
    stage: 'registeringDomain',
    message: 'registerDomain did not succeed before its deadline: POST /domains: 503 without an error code',
    details: () => ({ step: 'registerDomain', lastError: 'POST /domains: 503 without an error code' }),
    undo: domainKept,
  },
  unconfirmed: {
    type: 'DeliveryUnconfirmed',
    exit: null,
    stage: 'awaitingDelivery',
    message: 'The email to ada@unconfirmed-inbox.test was neither delivered nor bounced within 72 hours',
    details: ({ emailId }) => ({ emailId, lastStatus: 'queued' }),
    undo: everyStepKept,
  },
};

async function expectEnd(
  tenantId: string,
  expected: ExpectedEnd,
  handle: WorkflowHandle,
  { scripted }: OnboardingEnvironment,
): Promise<void> {
  const { type, exit, stage, message, details, undo } = expected;
  const failure = await failureOf(handle);
  const state = await handle.query(onboardingStateQuery);
  const report = undo.map(([step, result]) => {
    const resourceId = state[rowOf(step).id];
    const unknown =
      result === 'kept' ? "the provider's response was lost, so the resource may exist" : 'nothing had been created';
    const known = step === 'sendFirstEmail' ? 'an accepted email cannot be undone' : `${result} after ${type}`;
    const reason = resourceId === null ? unknown : known;
    return { step, resourceId, result, reason };
  });
  expect(failure, tenantId).toEqual({
    type,
    message: failure.message,
    details: { ...details(state), stage, exit, undo: report },
  });

  expect(failure.message.slice(0, message.length)).toBe(message);
  expect(failure.message).toMatch(
    new RegExp(
      `\nTo start again, use PUT /onboardings/${tenantId} or sendoff restart ${tenantId} .*; do not reset this Workflow$`,
    ),
  );

  // Exactly the resources that the report lists as kept exist.
  const kept = report.flatMap(({ step, result, resourceId }) =>
    result === 'kept' && resourceId !== null && step !== 'sendFirstEmail' ? resourceId : [],
  );
  expect(scripted.existingOf(tenantId).toSorted(), tenantId).toEqual(kept.toSorted());

  const { typedSearchAttributes } = await handle.describe();
  expect(typedSearchAttributes.get(reasonKey), tenantId).toBe(type);
  expect(typedSearchAttributes.get(exitKey), tenantId).toBe(exit ?? undefined);
  expect(typedSearchAttributes.get(stageKey), tenantId).toBe('done');
  expect(state, tenantId).toMatchObject({ stage: 'done', badEnd: { type, exit, message: failure.message } });
  expect(await currentDetailsOf(handle), tenantId).toContain(exit === null ? `**${type}**` : `**${type} (${exit})**`);
}

async function expectRestarted(
  handle: WorkflowHandle,
  { before, expected }: { before: Onboarding; expected: ExpectedEnd },
  { scripted }: OnboardingEnvironment,
): Promise<void> {
  const result = (await handle.result()) as { domainId: string; senderId: string; emailId: string };
  const kept = expected.undo.flatMap(([step, fate]) => (fate === 'kept' ? step : []));
  // What was cut off before its answer may be there or not.
  if (kept.includes('registerDomain') && before.domainId !== null) {
    expect(result.domainId).toBe(before.domainId);
    const valuesOf = (all: Onboarding['records']) => all.map(({ name, value }) => ({ name, value }));
    const { records } = await handle.query(onboardingStateQuery);
    expect(valuesOf(records)).toEqual(valuesOf(before.records));
  }
  if (kept.includes('createSender')) expect(result.senderId).toBe(before.senderId);
  expect(scripted.emails).toEqual([{ id: result.emailId, recipient: before.recipient }]);
  expectOneOfEach(scripted, before.tenantId);
}

/** F3: the same email is never sent again; to another address it is. */
async function expectNoSecondEmail(again: WorkflowHandle, { scripted, start }: OnboardingEnvironment): Promise<void> {
  expect(await failureOf(again)).toMatchObject({ type: 'EmailBounced', details: bounce });
  expect(scripted.emails).toHaveLength(1);
  const recipient = 'eve@inbox.test';
  const corrected = inputOf('f3', { firstEmail: { ...inputOf('f3').firstEmail, recipient } });
  const result = (await (await start(corrected)).result()) as { emailId: string };
  expect(scripted.emails.slice(1)).toEqual([{ id: result.emailId, recipient }]);
  expectOneOfEach(scripted, 'f3');
}

/** One key, webhook, domain and sender, however often it was started. */
function expectOneOfEach({ existingOf }: ScriptedProvider, tenantId: string): void {
  const kinds = existingOf(tenantId).map((id) => id.split('_')[0]);
  expect(kinds.toSorted()).toEqual(['dom', 'key', 'snd', 'whk']);
}

/** Tests these ends, each on its own server. */
export function testEnds(names: readonly string[]): void {
  test.each(names.map((name) => [name, ends[name]!] as const))(
    '%s: shows type, details, exit, stage and undo everywhere, and a restart continues with what was kept',
    async (tenantId, expected) => {
      const fixed = new Set<string>();
      await withOnboardings(troubles(fixed), async (environment) => {
        const input = inputOf(tenantId, expected.input);
        const failed = await environment.start(input);
        await expectEnd(tenantId, expected, failed, environment);
        if (tenantId === 'f3') expect(await currentDetailsOf(failed)).toContain('bounced: The address does not exist');
        const before = await failed.query(onboardingStateQuery);
        fixed.add(tenantId);
        const again = await environment.start(input);
        if (tenantId === 'f3') await expectNoSecondEmail(again, environment);
        else await expectRestarted(again, { before, expected }, environment);
      });
    },
  );
}
