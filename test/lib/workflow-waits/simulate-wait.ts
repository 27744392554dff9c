import { createWakeUps, type WakeUp } from '../../../src/client/onboarding/wake-ups.ts';
import { nextDomainCheckMs } from '../../../src/onboarding/time-limits.ts';
import {
  afterEvent,
  beginWait,
  shouldWake,
  type WaitEvent,
  type WaitFacts,
} from '../../../src/lib/workflow-waits/wait-machine.ts';
import type { Chances } from '../../support/seeded-chances.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.parse('2026-01-01T00:00:00Z');

/** The time-out of an attempt. */
const ATTEMPT_MS_MAX = 20 * SECOND_MS;
/** The time-out of the check after a wake-up. */
const CHECK_MS_MAX = 4 * SECOND_MS;
const SIGNAL_MS_MAX = 500;
/** The longest delay of the schedule, and a few failed attempts in a row. */
const POLL_GAP_MS = 4 * HOUR_MS + 20 * MINUTE_MS;
/** Five seconds in the receiver, five in the Workflow, and an attempt that must end first. */
const LEGIT_LAG_MS_MAX = 10 * SECOND_MS + SIGNAL_MS_MAX + ATTEMPT_MS_MAX + SECOND_MS;

type Ending = 'answered' | 'failed' | 'expired';

/** One interleaving. Times are milliseconds since the epoch. */
export interface Simulated {
  readonly endings: Ending[];
  /** The kinds of events that happened. */
  readonly met: ReadonlySet<string>;
  readonly verifiedAt: number;
  /** When a poll or check first had the answer; undefined if none had. */
  readonly answeredAt: number | undefined;
  readonly endedAt: number;
  /** A check that is under way when the poll ends is awaited. */
  readonly checkMsMax: number;
  /** The latest that a wait may expire: an attempt that is under way at its deadline may finish. */
  readonly expiresBy: number;
  readonly deadlineAtEnd: number;
  readonly expectedFailure: boolean;
  readonly pollGapMs: number;
  readonly signals: number;
  readonly signalsMax: number;
  readonly doubledSignals: number;
  readonly rounds: number;
  readonly roundsMax: number;
  /** From the arrival of a webhook outside a storm to the next check. */
  readonly legitLagsMs: number[];
  readonly legitLagMaxMs: number;
  readonly log: string[];
}

/** The provider, the network and the tenant of one wait, chosen at random. */
interface Scene {
  readonly time: VirtualTime;
  readonly chances: Chances;
  readonly met: Set<string>;
  readonly log: (line: string) => void;
  readonly verifiedAt: number;
  readonly failsAt: number;
}

interface WaitUnderTest {
  signal(wakeUp: WakeUp): void;
  moveDeadline(byMs: number): void;
  isOver(): boolean;
}

/** One wait for a domain, from its start to its end, with webhooks and polls chosen by `chances`. */
export async function simulateWait(chances: Chances): Promise<Simulated> {
  const time = virtualTime(START);
  const met = new Set<string>();
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(`${((time.now() - START) / SECOND_MS).toFixed(1)} s ${line}`);
  };
  const windowMs = chances.between(HOUR_MS, 72 * HOUR_MS);
  const verifiedAt = START + (chances.once(4) ? windowMs * 3 : chances.between(0, windowMs * 1.1));
  const failsAt = chances.once(10) ? START + chances.between(0, windowMs) : Number.POSITIVE_INFINITY;
  const scene: Scene = { time, chances, met, log, verifiedAt, failsAt };

  const checksAt: number[] = [];
  const endings: Ending[] = [];
  const answers: number[] = [];
  const ended = { at: 0, deadline: 0, rounds: 0 };
  const wait = startWait(scene, START + windowMs, {
    checked: () => checksAt.push(time.now()),
    hadAnswer: () => answers.push(time.now()),
    ended(ending, facts) {
      endings.push(ending);
      ended.at = facts.now;
      ended.deadline = facts.deadline;
    },
    roundStarted: () => ended.rounds++,
  });
  const moves = chances.once(4) ? 1 + chances.below(3) : 0;
  for (let move = 0; move < moves; move++) {
    time.at(START + chances.between(0, windowMs), () => {
      wait.moveDeadline(chances.between(MINUTE_MS, 24 * HOUR_MS));
    });
  }

  const receivers = Array.from({ length: chances.once(4) ? 4 : 1 }, () => startReceiver(scene, wait));
  const sent = sendWebhooks(scene, windowMs, (wakeUp) => chances.pick(receivers).receive(wakeUp));
  const straight = sendStraight(scene, windowMs, wait);
  // Continue well after the end, where a second transition would show.
  await time.run(() => time.now() > START + windowMs * 4 + 96 * HOUR_MS);

  const signals = receivers.reduce((sum, receiver) => sum + receiver.sent.length, 0);
  const bound = (ms: number): number => 8 + Math.log2(1 + ms / (5 * SECOND_MS)) + ms / HOUR_MS;
  const isQuiet = !met.has('storm') && !met.has('straight') && !met.has('temporalAway');
  return {
    endings,
    met,
    verifiedAt,
    answeredAt: answers[0],
    endedAt: ended.at,
    checkMsMax: CHECK_MS_MAX,
    expiresBy: ended.deadline + ATTEMPT_MS_MAX + SECOND_MS,
    deadlineAtEnd: ended.deadline,
    expectedFailure: met.has('failedForGood'),
    pollGapMs: POLL_GAP_MS,
    signals,
    signalsMax: receivers.length * bound(sent.lastAt - sent.firstAt) + receivers.reduce((n, r) => n + r.notSent(), 0),
    doubledSignals: receivers.reduce((n, { sent: ids }) => n + ids.length - new Set(ids).size, 0),
    rounds: ended.rounds,
    roundsMax: 1 + moves + Math.min(signals + straight, bound(ended.at - START)),
    legitLagsMs: isQuiet
      ? lagsOf(
          receivers.map(({ heardAt }) => heardAt),
          checksAt,
          ended.at,
        )
      : [],
    legitLagMaxMs: LEGIT_LAG_MS_MAX,
    log: lines,
  };
}

/** Counts from the first arrival of a webhook that arrived twice, or at two receivers. */
function lagsOf(heard: readonly ReadonlyMap<string, number>[], checksAt: readonly number[], endedAt: number): number[] {
  const first = new Map<string, number>();
  for (const [eventId, at] of heard.flatMap((times) => [...times])) {
    first.set(eventId, Math.min(first.get(eventId) ?? at, at));
  }
  return [...first.values()]
    .filter((at) => at < endedAt)
    .map((at) => (checksAt.find((check) => check >= at) ?? endedAt) - at);
}

/** Does what `pollUntil` does, in virtual time. */
function startWait(
  scene: Scene,
  firstDeadline: number,
  report: { checked(): void; hadAnswer(): void; ended(ending: Ending, facts: WaitFacts): void; roundStarted(): void },
): WaitUnderTest {
  const { time, log, met } = scene;
  const seen = new Set<string>();
  let wakeUps = 0;
  let deadline = firstDeadline;
  let sleep = 0;
  let poll: Poll | undefined;
  let roundsBegun = 0;
  /** How the poll ended while the check was under way. */
  let endedMeanwhile: WaitEvent | undefined;
  const checksOnce = !scene.chances.once(4);
  const facts = (): WaitFacts => ({ now: time.now(), wakeUps, deadline });
  let state = beginWait(facts());

  const isOver = (): boolean => ['answered', 'failed', 'expired'].includes(state.phase);
  function happened(event: WaitEvent): void {
    if (isOver()) return;
    sleep++;
    log(`${state.phase} ${event}`);
    state = afterEvent(state, event, facts());
    carryOut();
  }
  function pollEnded(event: WaitEvent): void {
    if (state.phase === 'checking') endedMeanwhile = event;
    else happened(event);
  }
  function checked(event: WaitEvent): void {
    met.add(`checked: ${event}`);
    const meanwhile = endedMeanwhile;
    endedMeanwhile = undefined;
    happened(event);
    if (meanwhile !== undefined) happened(meanwhile);
  }
  function carryOut(): void {
    const { phase, until } = state;
    switch (phase) {
      case 'polling':
        if (state.round > roundsBegun) {
          roundsBegun = state.round;
          report.roundStarted();
          poll = startPoll(scene, { ...report, ended: pollEnded });
        }
        sleepUntil(until);
        return;
      case 'merging':
        met.add('merged');
        sleepUntil(until);
        return;
      case 'checking':
        if (checksOnce) checkOnce(scene, { ...report, ended: checked });
        else happened('unanswered');
        return;
      case 'cancelling':
        poll?.cancel();
        return;
      case 'answered':
      case 'failed':
      case 'expired':
        poll?.cancel();
        report.ended(phase, facts());
    }
  }
  function sleepUntil(until: number): void {
    const mine = ++sleep;
    time.at(until, () => {
      if (mine === sleep) happened('timeReached');
    });
    // As `condition` does: a wake-up may have come during a check.
    changed();
  }
  function changed(): void {
    if (['polling', 'merging'].includes(state.phase) && !isOver() && shouldWake(state, facts())) happened('changed');
  }

  carryOut();
  return {
    signal({ eventId }) {
      if (seen.has(eventId)) return;
      seen.add(eventId);
      wakeUps++;
      log(`wake-up ${eventId}`);
      changed();
    },
    moveDeadline(byMs) {
      if (time.now() >= deadline || isOver()) return;
      met.add('deadlineMoved');
      deadline += byMs;
      log('deadline moved');
      changed();
    },
    isOver,
  };
}

interface Report {
  ended(event: WaitEvent): void;
  checked(): void;
  hadAnswer(): void;
}

/** A Local Activity after a wake-up: one attempt, which may fail. */
function checkOnce({ time, chances, met, verifiedAt, failsAt }: Scene, report: Report): void {
  report.checked();
  const startedAt = time.now();
  const lasts = chances.once(5) ? chances.between(0, CHECK_MS_MAX) : chances.between(10, 300);
  const isVerified = startedAt + lasts * chances.next() >= verifiedAt && !chances.once(10);
  time.at(startedAt + lasts, () => {
    if (startedAt >= failsAt) {
      met.add('failedForGood');
      report.ended('failed');
    } else {
      if (isVerified) report.hadAnswer();
      report.ended(isVerified ? 'answered' : chances.once(2) ? 'notYet' : 'unanswered');
    }
  });
}

interface Poll {
  cancel(): void;
}

/** An Activity that the server retries: slow attempts, attempts that fail, and one that is cancelled in its middle. */
function startPoll(scene: Scene, report: Report): Poll {
  const { time, chances, met, verifiedAt, failsAt } = scene;
  let state: 'backingOff' | 'underWay' | 'over' = 'backingOff';
  let isCancelled = false;
  let attempt = 0;
  const end = (event: WaitEvent): void => {
    state = 'over';
    report.ended(event);
  };
  function begin(): void {
    if (state === 'over') return;
    state = 'underWay';
    attempt++;
    report.checked();
    const lasts = chances.once(5) ? chances.between(0, ATTEMPT_MS_MAX) : chances.between(10, 300);
    const startedAt = time.now();
    // The provider reads the domain's status at some moment of the attempt.
    const isVerified = startedAt + lasts * chances.next() >= verifiedAt;
    const isTransient = chances.once(10);
    time.at(startedAt + lasts, () => {
      if (startedAt >= failsAt) {
        met.add('failedForGood');
        end('failed');
      } else if (isVerified && !isTransient) {
        if (isCancelled) met.add('answerInFlight');
        report.hadAnswer();
        end('answered');
      } else if (isCancelled) end('cancelled');
      else {
        state = 'backingOff';
        const pauseMs = isTransient
          ? chances.between(SECOND_MS, MINUTE_MS)
          : nextDomainCheckMs(attempt === 1 ? 0 : startedAt - START);
        time.at(time.now() + pauseMs, begin);
      }
    });
  }
  time.at(time.now() + chances.between(0, 50), begin);
  return {
    cancel() {
      isCancelled = true;
      if (state !== 'backingOff') return;
      state = 'over';
      time.at(time.now() + chances.between(0, 50), () => {
        report.ended('cancelled');
      });
    },
  };
}

interface Receiver {
  receive(wakeUp: WakeUp): Promise<void>;
  /** Ids of the Signals that arrived. */
  readonly sent: string[];
  /** When each webhook first arrived. */
  readonly heardAt: ReadonlyMap<string, number>;
  notSent(): number;
}

/** One server process, with a Temporal that is unavailable now and then. */
function startReceiver({ time, chances, met, log }: Scene, wait: WaitUnderTest): Receiver {
  const sent: string[] = [];
  const heardAt = new Map<string, number>();
  const accepted = new Set<string>();
  let notSent = 0;
  const notify = async (_tenantId: string, wakeUp: WakeUp): Promise<boolean> => {
    if (chances.once(50)) {
      met.add('temporalAway');
      notSent++;
      throw new Error('14 UNAVAILABLE');
    }
    sent.push(wakeUp.eventId);
    time.at(time.now() + chances.between(1, SIGNAL_MS_MAX), () => {
      wait.signal(wakeUp);
    });
    return true;
  };
  const after = (delayMs: number, act: () => void): (() => void) => {
    let isStopped = false;
    time.at(time.now() + delayMs, () => {
      if (isStopped) return;
      act();
      return settled();
    });
    return () => {
      isStopped = true;
    };
  };
  const wakeUps = createWakeUps(notify, { now: () => time.now(), after });
  const receive = async (wakeUp: WakeUp): Promise<void> => {
    if (wait.isOver()) return;
    const { eventId } = wakeUp;
    log(`webhook ${eventId}`);
    if (accepted.has(eventId)) met.add('doubled');
    heardAt.set(eventId, Math.min(heardAt.get(eventId) ?? time.now(), time.now()));
    try {
      await wakeUps.receive('acme', wakeUp);
      accepted.add(eventId);
    } catch {
      // Answered with 503: the provider posts it again.
      time.at(time.now() + chances.between(5 * SECOND_MS, MINUTE_MS), () => receive(wakeUp));
    }
    await settled();
  };
  return { receive, sent, heardAt, notSent: () => notSent };
}

/** Lets pending promise callbacks run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

/** A few real ones, which may be early, late, lost or repeated, and in every second wait a storm. */
function sendWebhooks(
  { time, chances, met, verifiedAt }: Scene,
  windowMs: number,
  receive: (wakeUp: WakeUp) => Promise<void>,
): { firstAt: number; lastAt: number } {
  const times: number[] = [];
  const post = (at: number, eventId: string): void => {
    times.push(at);
    time.at(at, () => receive({ eventId, type: 'domain.verified' }));
  };
  const real = chances.below(4);
  for (let index = 0; index < real; index++) {
    const lateMs = chances.once(3)
      ? chances.between(0, 10 * MINUTE_MS)
      : chances.between(-30 * SECOND_MS, 3 * SECOND_MS);
    met.add(lateMs < 0 ? 'early' : 'late');
    post(verifiedAt + lateMs, `evt_real_${index}`);
    if (chances.once(2)) post(verifiedAt + lateMs + chances.between(0, MINUTE_MS), `evt_real_${index}`);
  }
  if (chances.once(2)) {
    met.add('storm');
    const lastsMs = 2 ** chances.between(0, 15) * SECOND_MS;
    // Every second storm includes the moment when the domain becomes verified.
    const from = Math.max(
      START,
      chances.once(2) ? verifiedAt - lastsMs * chances.next() : START + chances.between(0, windowMs),
    );
    const webhooks = Math.floor(2 ** chances.between(3, 8));
    for (let index = 0; index < webhooks; index++) {
      post(from + chances.between(0, lastsMs), `evt_${Math.floor(index * (chances.once(3) ? chances.next() : 1))}`);
    }
  }
  return { firstAt: Math.min(START, ...times), lastAt: Math.max(START, ...times) };
}

/** Signals from a client that does not merge: the Workflow must bound itself. */
function sendStraight({ time, chances, met }: Scene, windowMs: number, wait: WaitUnderTest): number {
  if (!chances.once(5)) return 0;
  met.add('straight');
  const from = START + chances.between(0, windowMs);
  const lastsMs = 2 ** chances.between(0, 15) * SECOND_MS;
  const signals = Math.floor(2 ** chances.between(3, 8));
  for (let index = 0; index < signals; index++) {
    time.at(from + chances.between(0, lastsMs), () => {
      wait.signal({ eventId: `evt_straight_${index}`, type: 'domain.verified' });
    });
  }
  return signals;
}
