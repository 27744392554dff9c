// A row per producer holds when its next check is due, so no Workflow waits for a producer: one Schedule starts this sweep. Each host has its own,
// so that one that throttles for days delays only its producers.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  executeChild,
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
} from '@temporalio/workflow';
import type { AgentsMdActivities } from '../../activities/index.ts';
import { checkWorkflowId, sweepWorkflowId } from '../../agents-md/check-ids.ts';
import { summaryOf } from '../../agents-md/check-input.ts';
import type { HostName } from '../../agents-md/code-host.ts';
import { observationsFor } from '../../agents-md/observations-for.ts';
import type { ResolvedRepository } from '../../agents-md/check-result.ts';
import type { Observation } from '../../agents-md/observation.ts';
import { handleSignal } from '../../lib/waiting/handle-signal.ts';
import type { DueProducer, SweepPosition } from '../../store/agents-md/producers.ts';
import { recordOptions } from '../activity-options.ts';
import { dueAgainSignal } from '../messages.ts';
import { producerKey } from '../search-attributes.ts';
import type { checkAgentsMd, Findings } from './check-agents-md.ts';

const PAGE_PRODUCERS = 100;
/** A check costs some ten events: a tenth of what a history may have. */
const RUN_PRODUCERS_MAX = 500;
/** Enough to keep a host's Task Queue busy; bounded, so that a host that throttles for days does not collect waiting checks. */
const UNDER_WAY_MAX = 100;
/** Longer than a request is queued, shorter than a second check or a host's pause: then the organization's next check begins. */
const NEXT_BEGINS_AFTER = '5 minutes';
/** Checks that the next run does not wait for: few enough not to add up. */
const LEFT_BEHIND_MAX = 10;

/** Set only by Continue-As-New. */
export interface SweepOfHost {
  readonly host: HostName;
  /** RFC 3339 UTC: rows that fall due later belong to the next sweep. */
  readonly dueBy: string;
  readonly after: SweepPosition | null;
  readonly checked: number;
  /** What the last checks found, for the rest of their organization. */
  readonly organization: string | null;
  readonly findings: Findings;
  /** RFC 3339 UTC: what fell due by then is asked for once more, from the beginning. */
  readonly again?: string | null;
}

/** Observations that the next run gets. */
const FINDINGS_PASSED_ON = 20;

interface Known {
  readonly observed: Observation[];
  resolved: ResolvedRepository | null;
}

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
  let waiting = 0;
  let underWay = 0;
  let isLast = false;
  const known: Known = { observed: [...start.findings.observations], resolved: start.findings.resolved };
  const found = new Map<string, Known>(organization === null ? [] : [[organization, known]]);
  const groups = new Map<string, Promise<void>>();

  /** Resolves when the organization's next check may begin. */
  const check = async (producer: DueProducer, findings: Known): Promise<void> => {
    // Another organization may have taken the free place.
    while (underWay >= UNDER_WAY_MAX) await condition(() => underWay < UNDER_WAY_MAX);
    waiting -= 1;
    underWay += 1;
    let isOver = false;
    const ended = checkOne(producer, findings).finally(() => {
      isOver = true;
      underWay -= 1;
      checked += 1;
    });
    await Promise.race([ended, condition(() => isOver, NEXT_BEGINS_AFTER)]);
  };

  for (let read = 0; read < RUN_PRODUCERS_MAX && !isLast; read += PAGE_PRODUCERS) {
    const asked = { host, dueBy, after, limit: PAGE_PRODUCERS };
    const page = await dueProducers.executeWithOptions({ summary: `Producers on ${host} that are due` }, [asked]);
    isLast = page.length < PAGE_PRODUCERS;
    after = page.at(-1)?.position ?? after;
    waiting += page.length;
    for (const producer of page) {
      // Without an organization a check makes no request, so there is nothing to share.
      const name = producer.position[0] === '' ? `producer ${producer.producerId}` : producer.position[0];
      const findings = found.get(name) ?? { observed: [], resolved: null };
      found.set(name, findings);
      groups.set(
        name,
        (groups.get(name) ?? Promise.resolve()).then(() => check(producer, findings)),
      );
      organization = name;
    }
    await Promise.race([condition(() => waiting === 0), Promise.all(groups.values())]);
    setCurrentDetails(`${checked} checked, ${underWay} under way`);
  }
  await Promise.all(groups.values());
  await condition(() => underWay <= LEFT_BEHIND_MAX);
  if (isLast) {
    if (again === null) return { checked };
    return continueAsNew<typeof checkProducers>({ ...fromTheBeginning, host, dueBy: again, checked });
  }
  const { observed, resolved } = (organization === null ? undefined : found.get(organization)) ?? known;
  // Few: of the organization's last repository, and of its fallback repository.
  const recent = observed.slice(-FINDINGS_PASSED_ON);
  return continueAsNew<typeof checkProducers>({
    ...{ host, dueBy, after, checked, organization, again },
    findings: { observations: recent, resolved },
  });
}

/** A check that is running already, or was ended from outside, stops no other one. */
async function checkOne(producer: DueProducer, known: Known): Promise<void> {
  const { position, ...input } = producer;
  try {
    const { own } = await executeChild<typeof checkAgentsMd>('checkAgentsMd', {
      workflowId: checkWorkflowId(input.producerId),
      args: [
        {
          ...input,
          given: { observations: observationsFor(input, known.observed, known.resolved), resolved: known.resolved },
        },
      ],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summaryOf(input),
      typedSearchAttributes: [{ key: producerKey, value: input.producerId }],
      memo: { input },
    });
    known.observed.push(...own.observations);
    known.resolved ??= own.resolved;
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !isOfChild(error)) throw error;
    log.info('a check of the sweep did not end by itself, or was under way before', { producerId: input.producerId });
  }
}

const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
