import type { SetupState } from '../../src/http/setup-page/setup-view.ts';
import type { DnsMistake } from '../../src/dev/world/dns-mistakes.ts';
import type { SetupPageWorld } from './setup-page-world.ts';

export interface PageState {
  /** Also the tenant's ID. */
  readonly name: string;
  readonly state: SetupState | 'notFound';
  /** What the page must say besides, in English. */
  readonly says?: string;
  /** Brings the tenant there. @returns the address of its page */
  readonly reach: (world: SetupPageWorld, tenantId: string) => Promise<string>;
}

/** A tenant who enters its records wrongly. */
const mistaken = (name: string, mistake: DnsMistake, state: SetupState, says: string): PageState => ({
  ...{ name, state, says },
  async reach(world, tenantId) {
    await world.onboard(tenantId);
    await world.publish(tenantId, mistake);
    await world.checkNow(tenantId);
    return world.link(tenantId);
  },
});

export const pageStates: readonly PageState[] = [
  mistaken('nothing-there', 'not_published', 'waiting', 'The record is not there yet.'),
  mistaken('host-doubled', 'host_doubled', 'wrong', 'where a part of the domain occurs twice'),
  mistaken('spf-at-the-wrong-name', 'spf_at_domain', 'wrong', 'at spf-at-the-wrong-name.test, without its host.'),
  mistaken('key-truncated', 'value_truncated', 'wrong', 'Only the beginning of the key was saved.'),
  mistaken('server-fails', 'server_failure', 'unanswered', 'gave no usable answer.'),
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
