import type { SetupState } from '../../src/http/setup-page/setup-view.ts';
import type { DnsMistake } from '../../src/dev/world/dns-mistake-names.ts';
import type { SetupPageWorld } from './setup-page-world.ts';

export interface PageState {
  /** Also the tenant's ID. */
  readonly name: string;
  readonly state: SetupState | 'notFound';
  /** What the page must say besides, in English. */
  readonly says?: string;
  /** The text for a colleague lists the host and value of each required record. */
  readonly handsOn?: true;
  /** Brings the tenant there. @returns the address of its page */
  readonly reach: (world: SetupPageWorld, tenantId: string) => Promise<string>;
}

interface Mistaken {
  readonly name: string;
  readonly mistake: DnsMistake;
  readonly state: SetupState;
  readonly says: (tenantId: string) => string;
}

const mistakes: readonly Mistaken[] = [
  {
    ...{ name: 'nothing-there', mistake: 'not_published', state: 'waiting' },
    says: () => 'The record is not there yet.',
  },
  {
    ...{ name: 'host-doubled', mistake: 'host_doubled', state: 'wrong' },
    says: () => 'where a part of the domain occurs twice',
  },
  {
    ...{ name: 'spf-at-the-wrong-name', mistake: 'spf_at_domain', state: 'wrong' },
    says: (tenantId) => `at ${tenantId}.test, without its host.`,
  },
  {
    ...{ name: 'key-truncated', mistake: 'value_truncated', state: 'wrong' },
    says: () => 'Only the beginning of the key was saved.',
  },
  { ...{ name: 'server-fails', mistake: 'server_failure', state: 'unanswered' }, says: () => 'gave no usable answer.' },
];

/** A tenant who enters its records wrongly, and what checks them then. */
const mistaken = (
  { name, mistake, state, says }: Mistaken,
  check: 'checkNow' | 'scheduledCheck' = 'checkNow',
): PageState => {
  const ownName = check === 'checkNow' ? name : `${name}-scheduled`;
  return {
    ...{ name: ownName, state, says: says(ownName) },
    ...(state !== 'unanswered' && { handsOn: true }),
    async reach(world, tenantId) {
      await world.onboard(tenantId);
      await world.publish(tenantId, mistake);
      await world[check](tenantId, mistake);
      return world.link(tenantId);
    },
  };
};

/** One of each kind without the button: it takes a minute until the next scheduled check. */
export const scheduledStates: readonly PageState[] = [
  ...mistakes
    .filter(({ name }) => name === 'host-doubled' || name === 'server-fails')
    .map((each) => mistaken(each, 'scheduledCheck')),
  {
    name: 'delivered-scheduled',
    state: 'delivered',
    async reach(world, tenantId) {
      await world.onboard(tenantId);
      await world.publish(tenantId);
      await world.ended(tenantId);
      return world.link(tenantId);
    },
  },
];

export const pageStates: readonly PageState[] = [
  ...mistakes.map((each) => mistaken(each)),
  {
    name: 'verified',
    state: 'verified',
    async reach(world, tenantId) {
      await world.onboard(tenantId, { recipientIsDown: true });
      await world.publish(tenantId);
      await world.checkNow(tenantId);
      return world.link(tenantId);
    },
  },
  {
    name: 'delivered',
    state: 'delivered',
    async reach(world, tenantId) {
      await world.onboard(tenantId);
      await world.publish(tenantId);
      await world.checkNow(tenantId);
      await world.ended(tenantId);
      return world.link(tenantId);
    },
  },
  {
    name: 'time-over',
    state: 'failed',
    says: 'were not correct before the deadline',
    async reach(world, tenantId) {
      await world.onboard(tenantId, { verificationWindow: '3 seconds' });
      await world.publish(tenantId, 'host_doubled');
      await world.ended(tenantId);
      return world.link(tenantId);
    },
  },
  {
    name: 'cancelled',
    state: 'cancelled',
    async reach(world, tenantId) {
      await world.onboard(tenantId);
      await world.cancel(tenantId);
      await world.ended(tenantId);
      return world.link(tenantId);
    },
  },
  {
    name: 'link-expired',
    state: 'notFound',
    async reach(world, tenantId) {
      await world.onboard(tenantId);
      await world.cancel(tenantId);
      await world.ended(tenantId);
      const link = await world.link(tenantId);
      await world.expireLinks(tenantId);
      return link;
    },
  },
];
