import type { Bounce, ProviderEvent } from '../../onboarding/provider-event.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { Database } from '../database.ts';

/** An event about what an onboarding has created. */
export interface TenantEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly type: string;
}

/** An email as its events report it. */
export interface ReportedEmail {
  readonly id: string;
  /** `delivered` and `bounced` are final; the latest final event decides, whatever the order of arrival. */
  readonly status: string;
  readonly deliveredAt: string | null;
  readonly bounce: Bounce | null;
  readonly lastAttempt: string | null;
}

/** Longer than any provider's ids. */
const ID_LENGTH_MAX = 255;
/** Of each text of a bounce. */
const TEXT_LENGTH_MAX = 1_000;

const FINAL: readonly string[] = ['delivered', 'bounced', 'suppressed'];

export type ProviderEvents = ReturnType<typeof createSqlProviderEvents>;

/** What the webhooks of an operator's account have reported. */
export function createSqlProviderEvents(database: Database) {
  /** The notes of creations that the events name by id or by intent. */
  async function notesOf(provider: ProviderName, events: readonly ProviderEvent[]) {
    const intentIds = events.flatMap(({ intentId }) => intentId ?? []);
    const resourceIds = events.flatMap(({ emailId, domainId }) => [emailId ?? [], domainId ?? []].flat());
    const notes = () =>
      database.selectFrom('provider_intents').select(['intent', 'intent_id', 'resource_id', 'tenant_id']);
    const found = await Promise.all([
      intentIds.length === 0 ? [] : notes().where('intent_id', 'in', intentIds).execute(),
      resourceIds.length === 0 ? [] : notes().where('resource_id', 'in', resourceIds).execute(),
    ]);
    return found.flat().filter(({ intent }) => intent.startsWith(`${provider}/`));
  }

  return {
    /** Keeps those about what an onboarding has created, each once, and returns them, also those that it had. Forgets the others. */
    async store(provider: ProviderName, events: readonly ProviderEvent[]): Promise<readonly TenantEvent[]> {
      const usable = events.filter((event) => event.type !== 'other' && isBounded(event));
      const notes = await notesOf(provider, usable);
      const known = usable.flatMap((event): (ProviderEvent & TenantEvent)[] => {
        const { emailId, domainId, intentId } = event;
        const note =
          notes.find(({ resource_id: id }) => id !== null && (id === emailId || id === domainId)) ??
          // A tag that another email carries proves nothing.
          notes.find(({ intent_id: id, resource_id }) => id !== null && id === intentId && resource_id === null);
        return note === undefined ? [] : [{ ...event, tenantId: note.tenant_id }];
      });
      if (known.length === 0) return [];
      await database
        .insertInto('provider_events')
        .values(
          known.map(({ eventId, tenantId, type, at, emailId, intentId, bounce }) => ({
            ...{ provider, event_id: eventId, tenant_id: tenantId, type, at, received_at: new Date().toISOString() },
            ...{ email_id: emailId ?? null, intent_id: intentId ?? null },
            bounce: bounce === undefined ? null : JSON.stringify(bounce, bounded),
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return known.map(({ tenantId, eventId, type }) => ({ tenantId, eventId, type }));
    },

    /** Undefined without an event about this email. */
    async email(provider: ProviderName, emailId: string): Promise<ReportedEmail | undefined> {
      const rows = await database
        .selectFrom('provider_events')
        .select(['type', 'at', 'bounce'])
        .where('provider', '=', provider)
        .where('email_id', '=', emailId)
        .orderBy('at')
        .execute();
      const last = rows.findLast(({ type }) => FINAL.includes(type)) ?? rows.at(-1);
      if (last === undefined) return undefined;
      const { type, at, bounce } = last;
      return {
        id: emailId,
        status: type === 'suppressed' ? 'bounced' : type,
        deliveredAt: type === 'delivered' ? at : null,
        bounce: bounce === null ? null : (JSON.parse(bounce) as Bounce),
        lastAttempt: `${type} at ${at}`,
      };
    },

    /** The id of an email that the provider has accepted, although its answer may be lost; undefined if no event names it. */
    async emailIdOf(provider: ProviderName, intentId: string): Promise<string | undefined> {
      const row = await database
        .selectFrom('provider_events')
        .select('email_id')
        .where('provider', '=', provider)
        .where('intent_id', '=', intentId)
        .where('email_id', 'is not', null)
        .orderBy('at')
        .limit(1)
        .executeTakeFirst();
      return row?.email_id ?? undefined;
    },
  };
}

const isBounded = ({ eventId, emailId = '', intentId = '', domainId = '' }: ProviderEvent): boolean =>
  eventId !== '' && [eventId, emailId, intentId, domainId].every((id) => id.length <= ID_LENGTH_MAX);

const bounded = (_field: string, value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : value;
