// No surface shows an unknown state as the best one: over every stage, end and missing field, each claims at most what was found.
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { toPublish } from '../src/cli/onboarding/follow-onboarding.ts';
import { showOnboarding } from '../src/cli/onboarding/show-onboarding.ts';
import { onboardingView } from '../src/client/onboarding/onboarding-view.ts';
import { temporalUi } from '../src/client/temporal-ui.ts';
import { timeLeft } from '../src/http/setup-page/moments.tsx';
import { SetupPage } from '../src/http/setup-page/setup-page.tsx';
import { de } from '../src/http/setup-page/texts/de.ts';
import { en } from '../src/http/setup-page/texts/en.ts';
import type { SetupTexts } from '../src/http/setup-page/texts/setup-texts.ts';
import { viewOfRecord } from '../src/http/setup-page/view-of-record.ts';
import { currentDetails } from '../src/onboarding/current-details.ts';
import type { DnsRecord } from '../src/onboarding/dns-record.ts';
import {
  type BadEnd,
  failures,
  type FailureType,
  failureTypes,
  type OnboardingFailure,
} from '../src/onboarding/failures.ts';
import { eventsOf } from '../src/onboarding/onboarding-events.ts';
import { newRecord, type OnboardingOutcome } from '../src/onboarding/onboarding-record.ts';
import { newOnboarding } from '../src/onboarding/onboarding.ts';
import { Stage } from '../src/onboarding/stage.ts';
import type { StoredRecord } from '../src/store/onboarding/register.ts';
import { dkimRecord, spfRecord } from './onboarding/dns-operators/records.ts';
import { validInput } from './support/valid-input.ts';

const AT = '2026-11-22T12:00:00.000Z';
const order = Object.values(Stage);
const endings: readonly (BadEnd | null)[] = [null, 'Cancelled', ...failureTypes];
const outcomes: readonly OnboardingOutcome[] = ['running', 'onboarded', 'failed', 'cancelled', 'terminated'];
const uncheckedAdvice: DnsRecord = {
  ...dkimRecord,
  ...{ purpose: 'dmarc', name: '_dmarc.mail.acme.com', host: '_dmarc.mail', value: 'v=DMARC1; p=none' },
  ...{ required: false, status: 'unchecked' },
};
const recordSets: Readonly<Record<string, readonly DnsRecord[]>> = {
  none: [],
  missing: [dkimRecord, { ...spfRecord, status: 'missing' }],
  silent: [
    { ...dkimRecord, status: 'inconclusive' },
    { ...spfRecord, status: 'found' },
  ],
  found: [
    { ...dkimRecord, status: 'found' },
    { ...spfRecord, status: 'found' },
  ],
  unchecked: [{ ...dkimRecord, status: 'unchecked' }, uncheckedAdvice],
  advised: [{ ...dkimRecord, required: false, status: 'found' }],
};

/** How far it came before its stage. */
const pathsTo = (stage: Stage): readonly (readonly Stage[])[] => {
  const ends: readonly Stage[] = [Stage.undoing, Stage.done];
  if (!ends.includes(stage)) return [order.slice(0, order.indexOf(stage) + 1)];
  const cutOffIn = order.filter((each) => !ends.includes(each));
  // An earlier version's record may list no stages.
  return [[], ...cutOffIn.map((_, at) => order.slice(0, at + 1))].map((path) => [...path, stage]);
};

const failureOf = (type: FailureType): OnboardingFailure =>
  ({
    type,
    message: `failed: ${type}`,
    details: { stage: Stage.awaitingDomain, exit: failures[type].exit, undo: [] },
  }) as never;

interface Case {
  readonly stage: Stage;
  readonly outcome: OnboardingOutcome;
  readonly path: readonly Stage[];
  readonly badEnd: BadEnd | null;
  readonly hasFailure: boolean;
  readonly records: string;
}

function* everyCase(): Generator<Case> {
  for (const stage of order)
    for (const path of pathsTo(stage))
      for (const outcome of outcomes)
        for (const badEnd of endings)
          for (const hasFailure of badEnd === null || badEnd === 'Cancelled' ? [false] : [false, true])
            for (const records of Object.keys(recordSets)) yield { stage, outcome, path, badEnd, hasFailure, records };
}

function recordOf({ stage, outcome, path, badEnd, hasFailure, records }: Case): StoredRecord {
  const exit = badEnd === null || badEnd === 'Cancelled' ? null : failures[badEnd].exit;
  return {
    ...{
      ...newRecord,
      tenantId: 'acme',
      attemptId: 'attempt',
      runId: 'run',
      startedAt: AT,
      startedWith: null,
      outcome,
    },
    onboarding: {
      ...newOnboarding(validInput()),
      stage,
      stages: path.map((each) => ({ stage: each, at: AT })),
      records: [...(recordSets[records] ?? [])],
      badEnd: badEnd === null ? null : { type: badEnd, exit, message: `ended: ${badEnd}` },
    },
    failure: hasFailure && badEnd !== null && badEnd !== 'Cancelled' ? failureOf(badEnd) : null,
    ...{ stageSince: AT, updatedAt: AT },
  };
}

const temporal = { reachable: true, workers: 'polling', checkedAt: AT } as const;

/** Most of the time goes here, and many records have the same page. */
const rendered = new Map<SetupTexts, Map<string, string>>([
  [en, new Map<string, string>()],
  [de, new Map<string, string>()],
]);
function htmlOf(page: ReturnType<typeof viewOfRecord>, texts: SetupTexts): string {
  const key = JSON.stringify(page);
  const known = rendered.get(texts)?.get(key);
  if (known !== undefined) return known;
  const html = render(
    h(SetupPage, {
      ...{ view: page, texts, version: '1', etag: '"1"', notice: undefined, query: () => '?' },
      timeLeft: page.deadline === null ? undefined : timeLeft(page.deadline, Date.parse(AT), texts),
      product: { name: 'Acme', support: undefined },
    }),
  );
  rendered.get(texts)?.set(key, html);
  return html;
}

/** What each surface claims of one record, and what was found. */
function claimsOf(each: Case) {
  const record = recordOf(each);
  const { onboarding, outcome } = record;
  const page = viewOfRecord(record);
  const htmlIn = (texts: SetupTexts): string => htmlOf(page, texts);
  const viewOf = () =>
    onboardingView(record, {
      ...{ claim: undefined, release: undefined, watched: undefined, temporal, ui: temporalUi(undefined, 'default') },
      nowMs: Date.parse(AT),
    });
  const required = onboarding.records.filter((one) => one.required);
  return {
    found: {
      isPublished: required.length > 0 && required.every(({ status }) => status === 'found'),
      isVerified: outcome === 'onboarded' || onboarding.stages.some(({ stage }) => stage === Stage.creatingSender),
      isOver: outcome !== 'running' || onboarding.badEnd !== null || onboarding.stage === Stage.undoing,
    },
    page,
    htmlIn,
    view: viewOf,
    status: () => showOnboarding(viewOf()),
    details: () => currentDetails(onboarding, 'default'),
    announced: () => eventsOf(undefined, record),
    followed: () => toPublish(viewOf()),
  };
}

/** Over some thousand cases; an assertion of vitest for each claim would cost more than everything that is tested. */
function wrongClaims(claims: (each: Case, of: ReturnType<typeof claimsOf>, mustHold: MustHold) => void): string[] {
  const wrong: string[] = [];
  for (const each of everyCase()) {
    claims(each, claimsOf(each), (holds, claim) => {
      if (!holds) wrong.push(`${claim}: ${JSON.stringify(each)}`);
    });
  }
  return wrong.slice(0, 5);
}
type MustHold = (holds: boolean, claim: string) => void;

describe('over every stage, end and missing field', () => {
  test('the page says verified, delivered or published only if a check found it and nothing has ended', () => {
    const afterVerification = ['EmailBounced', 'DeliveryUnconfirmed', 'SendOutcomeUnknown'];
    const wrong = wrongClaims((each, { found, page, htmlIn }, mustHold) => {
      const { isVerified, isPublished, isOver } = found;
      const html = htmlIn(en);
      const steps = [...html.matchAll(/class="step step-(\w+)"/g)].map(([, state = '']) => state);
      const isOnboarded = each.outcome === 'onboarded';
      mustHold(page.state !== 'delivered' || isOnboarded, 'delivered');
      mustHold(page.state !== 'verified' || (isVerified && !isOver), 'verified');
      mustHold(page.state !== 'published' || (isPublished && !isOver), 'published');
      if (isOver && !isOnboarded) {
        mustHold(page.state === 'failed' || page.state === 'cancelled', `${page.state}, though it is over`);
        mustHold(/^[A-Z]/.test(page.end?.type ?? ''), `an end of type ${page.end?.type}`);
        for (const [text, { states }] of [[html, en] as const, [htmlIn(de), de] as const])
          for (const state of ['verified', 'delivered', 'published'] as const)
            mustHold(!text.includes(states[state](page).headline), `the headline of ${state}`);
      }
      const isAfterVerification = afterVerification.includes(page.end?.type ?? '');
      mustHold(steps[0] !== 'done' || isVerified || isPublished || isAfterVerification, 'step 1 done');
      mustHold(steps[1] !== 'done' || isVerified || isAfterVerification, 'step 2 done');
      mustHold(steps[2] !== 'done' || isOnboarded, 'step 3 done');
    });
    expect(wrong).toEqual([]);
  });

  test('API, status, Temporal UI and notifications name the end as soon as it is known, and no success before it', () => {
    const wrong = wrongClaims((each, claims, mustHold) => {
      const [view, status, details] = [claims.view(), claims.status(), claims.details()];
      const events: readonly string[] = claims.announced().map(({ type }) => type);
      const isOnboarded = each.outcome === 'onboarded';
      mustHold(!status.includes('delivered  '), 'status: delivered');
      mustHold(events.includes('onboarding.onboarded') === isOnboarded, 'announced: onboarded');
      mustHold(claims.found.isVerified || !details.includes('✅ Domain verified'), 'Temporal UI: verified');
      // In a Workflow, whose details these are, only a success ends without a bad end.
      const hasDelivered = each.stage === Stage.done && each.badEnd === null;
      const saysDelivered = details.includes('✅ acme') || details.includes('**Onboarded**');
      mustHold(saysDelivered === hasDelivered, 'Temporal UI: onboarded');
      if (each.badEnd === null || isOnboarded) return;
      const isCancelled = each.badEnd === 'Cancelled';
      mustHold(view.exit === (isCancelled ? null : failures[each.badEnd].exit), `exit ${view.exit}`);
      mustHold(details.includes(`**${each.badEnd}`), 'Temporal UI: no end');
      if (each.outcome !== 'running') return;
      mustHold(events.includes(`onboarding.${isCancelled ? 'cancelled' : 'failed'}`), 'announced: no end');
      mustHold(status.includes(`${each.hasFailure ? 'failed' : 'ended'}: ${each.badEnd}`), 'status: no end');
    });
    expect(wrong).toEqual([]);
  });

  test('none asks for a DMARC policy of its own before a check, which may weaken that of the organization', () => {
    const wrong = wrongClaims((each, { page, view, status, details, followed, announced }, mustHold) => {
      if (each.records !== 'unchecked') return;
      const whole = [page, view(), announced()].map((one) => JSON.stringify(one));
      for (const shown of [...whole, status(), details(), followed()]) mustHold(!shown.includes('p=none'), shown);
    });
    expect(wrong).toEqual([]);
  });
});
