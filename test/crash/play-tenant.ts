import { setTimeout as delay } from 'node:timers/promises';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import type { ZoneRecord } from '../../src/dev/world/zone-record.ts';
import { domainZone, RECIPIENT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import type { World } from '../../src/dev/world/start-world.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';
import type { PlannedTenant } from './crash-plan.ts';
import { followAbort } from '../../src/lib/timing/follow-abort.ts';
import type { PatientBackend } from './patient-backend.ts';

export interface PlayTenantOptions {
  readonly backend: PatientBackend;
  readonly world: Pick<World, 'dns'>;
  /** The time is over: whatever has not ended by then has not ended. */
  readonly signal: AbortSignal;
  /** Called with every view, so that one that never ends can be shown. */
  readonly seen: (view: OnboardingView) => void;
  /** Between two looks at the onboarding. @default 4 s */
  readonly lookPauseMs?: number | undefined;
}

/** After a kill a Worker must replay each Event History: dozens of tenants at once must leave it processor time. */
const LOOK_PAUSE_MS = 4_000;

/** F1 within the run. */
const SHORT_WINDOW = '15 seconds';

/** The receiver refuses these; see `refusedRecipients`. */
const REFUSED_PREFIX = 'nobody-';
export const refusedRecipients = new RegExp(`^${REFUSED_PREFIX}`);

/** One recipient per tenant, so that the mailbox tells whose message it is. */
export const recipientOf = ({ id, kind }: PlannedTenant): string =>
  `${kind === 'refused' ? REFUSED_PREFIX : ''}${id}@${RECIPIENT_DOMAIN}`;

/** Starts the onboarding as a backend, does what the tenant does, and follows it. Resolves with the view of its end. */
export async function playTenant(tenant: PlannedTenant, options: PlayTenantOptions): Promise<OnboardingView> {
  const { backend, world, seen, lookPauseMs = LOOK_PAUSE_MS } = options;
  const ended = followAbort(options.signal);
  const { signal } = ended;
  await backend.start(inputOf(tenant));
  const doings: Promise<unknown>[] = [];
  if (tenant.kind === 'cancelled') {
    doings.push(delay(tenant.cancelAfterMs, undefined, { signal }).then(() => backend.cancel(tenant.id)));
  }
  try {
    for (let published = false; ;) {
      const view = await backend.view(tenant.id);
      seen(view);
      if (hasEnded(view)) return view;
      const records = view.onboarding.records;
      if (!published && records.length > 0) {
        published = true;
        const publish = () => {
          world.dns.publish(zoneOf(tenant, toZoneRecords(records)));
        };
        doings.push(delay(tenant.publishAfterMs, undefined, { signal }).then(publish));
      }
      await delay(lookPauseMs, undefined, { signal });
    }
  } finally {
    ended.abort();
    // What was still to be done came too late.
    await Promise.allSettled(doings);
  }
}

/** Of an onboarding that has ended badly the undo is known only when a Worker answers. */
const hasEnded = ({ outcome }: OnboardingView): boolean => outcome !== 'running';

const domainOf = ({ id }: PlannedTenant): string => `${id}.test`;

function inputOf(tenant: PlannedTenant): OnboardTenantInput {
  const domain = domainOf(tenant);
  const endsInF1 = tenant.kind === 'unpublished' || tenant.kind === 'misplaced';
  return {
    tenantId: tenant.id,
    domain,
    fromAddress: `hello@${domain}`,
    firstEmail: { recipient: recipientOf(tenant), subject: `Welcome, ${tenant.id}`, body: 'It works.' },
    ...(endsInF1 ? { verificationWindow: SHORT_WINDOW } : {}),
  };
}

/** What this tenant puts into the zone of its domain. */
function zoneOf(tenant: PlannedTenant, shown: readonly ZoneRecord[]): readonly ZoneRecord[] {
  const domain = domainOf(tenant);
  switch (tenant.kind) {
    case 'good':
    case 'refused':
    case 'cancelled':
      return [...domainZone(domain), ...shown];
    case 'misplaced':
      return [...domainZone(domain), ...shown.map((record) => ({ ...record, name: `${record.name}.${domain}` }))];
    case 'unpublished':
      return [];
  }
}
