// A row per producer holds when its next check is due, so no Workflow waits for a producer: one Schedule starts this sweep. Each host has its own,
// so that one that throttles for days delays only its producers.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
} from '@temporalio/workflow';
import { continueAsNew } from '../../lib/workflow-waits/continue-as-new.ts';
import type { AgentsMdActivities } from '../../activities/index.ts';
import { checkWorkflowId, sweepWorkflowId } from '../../agents-md/check-ids.ts';
import { summaryOf } from '../../agents-md/check-input.ts';
import type { HostName } from '../../agents-md/code-host.ts';
import { observationsFor } from '../../agents-md/observations-for.ts';
import type { ResolvedRepository } from '../../agents-md/check-result.ts';
import type { FileObservation, Observation } from '../../agents-md/observation.ts';
import { handleSignal } from '../../lib/workflow-waits/handle-signal.ts';
import type { DueProducer, SweepPosition } from '../../store/agents-md/producers.ts';
import { recordOptions } from '../activity-options.ts';
import { dueAgainSignal, producerIsAtSignal } from '../messages.ts';
import { producerKey } from '../search-attributes.ts';
import type { checkAgentsMd, Findings } from './check-agents-md.ts';

const PAGE_PRODUCERS = 100;
/** A check costs some ten events: a tenth of what a history may have. */
const RUN_PRODUCERS_MAX = 500;
/** Enough to keep a host's Task Queue busy; bounded, so that a host that throttles for days does not collect waiting checks. */
const UNDER_WAY_MAX = 100;
/** Longer than few requests wait for the slowest host's rate, shorter than a second check: then the next run does not wait for the last checks. */
const LAST_CHECKS_WAIT = '15 minutes';
/** Few enough not to add up. */
const LEFT_BEHIND_MAX = 10;

/** Set only by Continue-As-New. */
export interface SweepOfHost {
  readonly host: HostName;
  /** RFC 3339 UTC: rows that fall due later belong to the next sweep. */
  readonly dueBy: string;
  readonly after: SweepPosition | null;
  readonly checked: number;
  /** The organization that was checked last, and the findings of its checks, for the rest of its producers. */
  readonly organization: string | null;
  readonly findings: Findings;
  /** RFC 3339 UTC: what fell due by then is asked for once more, from the beginning. */
  readonly again?: string | null;
}

interface Known {
  readonly observed: Observation[];
  resolved: ResolvedRepository | null;
}

type Look = FileObservation['look'];
/** At the organization's fallback repository. */
const looks: readonly Look[] = ['first', 'second'];

/** How a check of the sweep ended; a look: it has left that one to be asked for by one check of the organization. */
type CheckEnd = 'answered' | 'unanswered' | Look;

const { dueHosts, dueProducers } =
  proxyActivities<Pick<AgentsMdActivities, 'dueHosts' | 'dueProducers'>>(recordOptions);
const noFindings: Findings = { observations: [], resolved: null };
const fromTheBeginning = { after: null, checked: 0, organization: null, findings: noFindings };

/** Checks every producer that is due. @param progress absent: starts one sweep per host, unless it runs */
export async function checkProducers(progress?: SweepOfHost): Promise<{ readonly checked: number }> {
  if (progress !== undefined) return sweepHost(progress);
  const dueBy = new Date().toISOString();
  const hosts = await dueHosts.executeWithOptions({ summary: 'Hosts with producers that are due' }, [dueBy]);
  for (const host of hosts) {
    const sweep = { ...fromTheBeginning, host, dueBy };
    try {
      await startChild(checkProducers, {
        workflowId: sweepWorkflowId(host),
        args: [sweep],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `Check the producers on ${host} that are due`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // It may have read past these producers. One that has just ended leaves them to the next sweep.
      const running = getExternalWorkflowHandle(sweepWorkflowId(host));
      await running.signal(dueAgainSignal, dueBy).catch((refused: unknown) => {
        log.info('the sweep of the host has ended meanwhile', { host, refused: String(refused) });
      });
    }
  }
  return { checked: 0 };
}

async function sweepHost({ host, dueBy, ...start }: SweepOfHost): Promise<{ readonly checked: number }> {
  let { after, checked, organization, again = null } = start;
  handleSignal(dueAgainSignal, (by) => {
    if (typeof by === 'string' && !Number.isNaN(Date.parse(by))) again = by;
  });
  /** Producers that were read and are not over. */
  let left = 0;
  let last: DueProducer | undefined;
  let isLast = false;
  const passedOn: Known = { observed: [...start.findings.observations], resolved: start.findings.resolved };
  const isPassedOn = passedOn.observed.length > 0 || passedOn.resolved !== null;
  const found = new Map<string, Known>(organization === null ? [] : [[organization, passedOn]]);
  const { inTurn, hasAnswer } = createTurns(organization !== null && isPassedOn ? [organization] : []);
  const places = createPlaces();
  const check = (producer: DueProducer, known: Known, leaves: readonly Look[]): Promise<CheckEnd> =>
    places.take(() => checkOne(producer, known, leaves));

  /** The first of an organization asks everything; then the first of each repository, several at a time, but one for the fallback. */
  const checkInTurn = async (producer: DueProducer, name: string, known: Known): Promise<void> => {
    const first = () => check(producer, known, hasAnswer(name) ? looks : []);
    let end = await inTurn(name, () => inTurn(`${name} ${producer.position[1]}`, first));
    for (const [at, look] of looks.entries()) {
      const others = looks.slice(at + 1);
      if (end === look) end = await inTurn(`${name} ${look} look`, () => check(producer, known, others));
    }
    left -= 1;
    checked += 1;
  };

  for (let read = 0; read < RUN_PRODUCERS_MAX && !isLast; read += PAGE_PRODUCERS) {
    const asked = { host, dueBy, after, limit: PAGE_PRODUCERS };
    const page = await dueProducers.executeWithOptions({ summary: `Producers on ${host} that are due` }, [asked]);
    isLast = page.length < PAGE_PRODUCERS;
    last = page.at(-1) ?? last;
    after = last?.position ?? after;
    left += page.length;
    for (const producer of page) {
      // Without an organization a check makes no request, so there is nothing to share.
      organization = producer.position[0] === '' ? `producer ${producer.producerId}` : producer.position[0];
      const known = found.get(organization) ?? { observed: [], resolved: null };
      found.set(organization, known);
      checkInTurn(producer, organization, known).catch((error: unknown) => {
        // Then the sweep itself ends as cancelled.
        if (!isCancellation(error)) throw error;
      });
    }
    await condition(() => places.queued() === 0);
    setCurrentDetails(`${checked} checked, ${places.underWay()} under way`);
  }
  await condition(() => places.underWay() > 0 || left === 0);
  // What has not begun by then stays due: a check that it waits for is left behind.
  while (left > 0 && !(await condition(() => left === 0, LAST_CHECKS_WAIT)) && places.underWay() > LEFT_BEHIND_MAX);
  if (isLast) {
    if (again === null) return { checked };
    return continueAsNew<typeof checkProducers>({ ...fromTheBeginning, host, dueBy: again, checked });
  }
  const { observed, resolved } = (organization === null ? undefined : found.get(organization)) ?? passedOn;
  return continueAsNew<typeof checkProducers>({
    ...{ host, dueBy, after, checked, organization, again },
    findings: { observations: last === undefined ? [] : observationsFor(last, observed, resolved), resolved },
  });
}

type Run = () => Promise<CheckEnd>;

/** Checks of the same key run one after the other until one has an answer, then all at once. */
function createTurns(withAnswer: readonly string[]) {
  const answered = new Set(withAnswer);
  const turns = new Map<string, Promise<unknown>>();
  return {
    hasAnswer: (key: string): boolean => answered.has(key),
    inTurn: (key: string, run: Run): Promise<CheckEnd> => {
      const before = turns.get(key) ?? Promise.resolve();
      const own = before.then(run);
      const next = own.then(
        (end) => end !== 'unanswered' && answered.add(key),
        () => undefined,
      );
      turns.set(
        key,
        before.then(() => (answered.has(key) ? undefined : next)),
      );
      return own;
    },
  };
}

/** For the checks whose turn has come: how many wait for a free place, and how many have one. */
function createPlaces() {
  let queued = 0;
  let underWay = 0;
  return {
    queued: (): number => queued,
    underWay: (): number => underWay,
    async take(run: Run): Promise<CheckEnd> {
      queued += 1;
      // Another check may have taken the free place.
      while (underWay >= UNDER_WAY_MAX) await condition(() => underWay < UNDER_WAY_MAX);
      queued -= 1;
      underWay += 1;
      return run().finally(() => {
        underWay -= 1;
      });
    },
  };
}

/** A check that is running already, or was ended from outside, stops no other one. One of a place that the producer has left is ended. */
async function checkOne(producer: DueProducer, known: Known, leaves: readonly Look[]): Promise<CheckEnd> {
  const { position, ...input } = producer;
  const { observed, resolved } = known;
  try {
    const { result, left, own } = await executeChild<typeof checkAgentsMd>('checkAgentsMd', {
      workflowId: checkWorkflowId(input.producerId),
      args: [{ ...input, leaves, given: { observations: observationsFor(input, observed, resolved), resolved } }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summaryOf(input),
      typedSearchAttributes: [{ key: producerKey, value: input.producerId }],
      memo: { input },
    });
    known.observed.push(...own.observations);
    known.resolved ??= own.resolved;
    return left ?? (result === null ? 'unanswered' : 'answered');
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !isOfChild(error)) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      const running = getExternalWorkflowHandle(checkWorkflowId(input.producerId));
      // One that has just ended needs no Signal.
      await running.signal(producerIsAtSignal, input).catch(() => undefined);
    }
    log.info('a check of the sweep did not end by itself, or was under way before', { producerId: input.producerId });
    return 'unanswered';
  }
}

const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
