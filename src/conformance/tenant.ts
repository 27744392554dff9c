// One tenant of a case: its steps in the order of the Workflow, from the table of steps.
import { randomUUID } from 'node:crypto';
import { markOf } from '../activities/onboarding/operator-accounts.ts';
import type { EmailOutcome } from '../activities/onboarding/send-first-email.ts';
import type { Undone } from '../activities/onboarding/step-input.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { apiKeyRef } from '../onboarding/onboarding-ids.ts';
import { keptOf, newOnboarding, type Onboarding } from '../onboarding/onboarding.ts';
import { rowOf, type StepName, stepRows, undoableRows } from '../onboarding/steps.ts';
import type { DomainReport } from '../onboarding/domain-report.ts';
import { getIssued } from '../store/issued-secret.ts';
import { type EmailEnding, type Held, NotProven } from './far-end.ts';
import type { Installation } from './installation.ts';

/** Asked for so often until a domain is verified, or an email is delivered; each is a second at a far end with its own clock. */
const POLLS_MAX = 90;
const POLL_MS = 1_000;
/** `tenantId` has at most 128 characters. */
export interface TenantOptions {
  readonly tenantId?: string;
  readonly domain?: string;
  readonly ending?: EmailEnding;
}

export type Tenant = ReturnType<typeof createTenant>;

/** @param label unique in this run */
export function createTenant(installation: Installation, label: string, options: TenantOptions = {}) {
  const { farEnd, perform, register, secrets } = installation;
  const { tenantId = `conformance-${label}`, ending = 'delivered' } = options;
  const domain = options.domain ?? farEnd.domain(label);
  const recipient = farEnd.recipient(label, ending);
  if (recipient === undefined) throw new NotProven(`no recipient here is ${ending}`);
  const { provider } = farEnd;
  const input: OnboardTenantInput = {
    ...{ tenantId, domain, fromAddress: `hello@${domain}`, ...(provider !== undefined && { provider }) },
    firstEmail: { recipient, subject: `Conformance ${label}`, body: 'It works.' },
  };
  const mark = markOf(tenantId, { installationId: installation.id });
  farEnd.begin?.({ tenantId, mark, domain, recipient });
  // As a Run Id.
  let attemptId: string = randomUUID();
  let begun: StepName[] = [];
  let onboarding: Onboarding = newOnboarding(input);
  const step = () => ({ tenantId, attemptId, ...(provider !== undefined && { provider }) });
  const start = () => ({ startedAt: new Date(installation.now()).toISOString(), startedWith: input });

  const ownInput = (row: ReturnType<typeof rowOf>) => ('input' in row ? row.input(onboarding) : {});
  /** What the Workflow gives a step beside the input of its row. */
  const inputs: Partial<Record<StepName, () => object>> = {
    issueApiKey: () => ({ beginning: { ...start(), onboarding: newOnboarding(input) } }),
    sendFirstEmail: () => ({ senderId: onboarding.senderId ?? '', firstEmail: input.firstEmail }),
  };

  async function performStep(name: StepName, { attempts }: { attempts?: number } = {}): Promise<object> {
    if (!begun.includes(name)) begun.push(name);
    const result: object = await perform(
      name,
      { ...step(), ...ownInput(rowOf(name)), ...inputs[name]?.() },
      attempts === undefined ? {} : { attempts },
    );
    Object.assign(onboarding, keptOf(result));
    return result;
  }

  const check = (depth: 'look' | 'zone'): Promise<DomainReport> =>
    perform('checkDomain', { ...step(), domainId: onboarding.domainId ?? '', depth });

  /** Publishes the records, and waits until the provider reports the domain as verified. */
  async function verify(): Promise<DomainReport> {
    await farEnd.publish(domain, onboarding.records);
    for (let poll = 0; poll < POLLS_MAX; poll += 1) {
      const report = await check('zone');
      if (report.verified) return report;
      await farEnd.pause(POLL_MS);
    }
    throw new Error(`${domain} was not verified after ${POLLS_MAX} checks`);
  }

  async function outcome(): Promise<EmailOutcome> {
    const waitingSince = installation.now();
    const wait = { ...step(), emailId: onboarding.emailId ?? '', waitingSince };
    return perform('awaitEmailOutcome', wait, { attempts: POLLS_MAX });
  }

  /** The steps up to this one, with the waits between. */
  async function runTo(last: StepName): Promise<object> {
    let result: object = {};
    for (const { step: name } of stepRows) {
      if (begun.includes(name)) continue;
      if (name === 'createSender') await verify();
      result = await performStep(name);
      if (name === last) break;
    }
    return result;
  }

  async function onboard(): Promise<EmailOutcome> {
    const { outcome: known } = (await runTo('sendFirstEmail')) as { outcome?: EmailOutcome };
    return known ?? outcome();
  }

  /** Every step again, as another Worker does after a Worker died, and the rest. */
  async function repeat(): Promise<EmailOutcome> {
    installation.abandon();
    begun = [];
    return onboard();
  }

  /**
   * Undoes the begun steps, the newest first. Returns why the provider keeps what it keeps, by step.
   *
   * @param options.times how often each Activity is performed, as after a lost result
   */
  async function undo({ keepDomain = false, times = 1 } = {}): Promise<Partial<Record<StepName, string>>> {
    const kept: Partial<Record<StepName, string>> = {};
    for (const row of begun.toReversed().map((name) => rowOf(name))) {
      if (!('undoneBy' in row) || (keepDomain && 'keptWithDomain' in row)) continue;
      const input = { ...step(), ...ownInput(row), resourceId: onboarding[row.id] } as never;
      for (let time = 0; time < times; time += 1) {
        const { kept: reason }: Undone = await perform(row.undoneBy, input);
        if (reason !== undefined) kept[row.step] = reason;
      }
    }
    return kept;
  }

  /** Undoes this step and those after it, none of which has an answer, as when a Workflow Task was lost that may have run them. */
  async function undoFrom(first: StepName): Promise<void> {
    const unanswered = undoableRows.slice(undoableRows.findIndex((row) => row.step === first));
    for (const row of unanswered.toReversed()) {
      await perform(row.undoneBy, { ...step(), ...ownInput(row), resourceId: null });
    }
  }

  /** Records the end, and begins the next onboarding of the tenant. */
  async function startAgain(): Promise<void> {
    const end = { ...step(), ...start(), onboarding, result: null, failure: null, outcome: 'cancelled' as const };
    await perform('recordEnd', end as never);
    attemptId = randomUUID();
    begun = [];
    onboarding = newOnboarding(input);
  }

  return {
    ...{ tenantId, domain, recipient, mark, input },
    get ids() {
      return onboarding;
    },
    ...{ check, verify, outcome, runTo, onboard, repeat, undo, undoFrom, startAgain, perform: performStep },
    held: (): Promise<Held> => farEnd.held({ tenantId, mark, domain, recipient }),
    recorded: () => register.get(tenantId),
    /** The tenant's key; undefined if none is stored. */
    issuedKey: () => getIssued(secrets, apiKeyRef(tenantId)),
  };
}
