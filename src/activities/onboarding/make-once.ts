// At a provider whose creations cannot be repeated safely: look, note, create. The note tells an own resource, whose answer was lost, from one
// that was there before or is another tenant's.
import { activityInfo } from '@temporalio/activity';
import { mayHaveActed, ProviderError } from '../../email-provider/provider-error.ts';
import type { Intent, IntentKey, ProviderIntents } from '../../store/onboarding/provider-intents.ts';
import type { StepInput, UndoInput } from './step-input.ts';

/**
 * @param find,create `isFirst`: no earlier request of the tenant may have created it
 * @param isMarked whether what was found has the tenant's mark, so that it is the tenant's also without a note
 * @throws ProviderError `exists` if the resource is not this tenant's; nothing is changed then
 */
export async function makeOnce<Resource extends { readonly id: string }>(
  intents: ProviderIntents,
  key: IntentKey,
  {
    step: { tenantId, attemptId },
    find,
    create,
    isMarked = () => false,
  }: {
    readonly step: Pick<StepInput, 'tenantId' | 'attemptId'>;
    readonly find: (isFirst: boolean) => Promise<Resource | undefined>;
    readonly create: (isFirst: boolean) => Promise<Resource>;
    readonly isMarked?: (found: Resource) => boolean;
  },
): Promise<{ readonly resource: Resource; readonly adopted: boolean }> {
  const noted = await intents.get(key);
  if (noted !== undefined && noted.tenantId !== tenantId) throw taken(key);
  const found = await find(noted === undefined);
  if (found !== undefined && noted === undefined && !isMarked(found)) throw taken(key);
  // An onboarding must not delete what an earlier one of the tenant kept.
  if (found !== undefined && noted?.resourceId === found.id)
    return { resource: found, adopted: noted.attemptId !== attemptId };
  const standing = await intents.note(key, {
    ...{ tenantId, attemptId, notedAt: timeOfAttempt() },
    // The undo of this onboarding must find what it is about to create.
    ...(found === undefined && { replaces: true }),
  });
  if (standing.tenantId !== tenantId) throw taken(key);
  if (found !== undefined) {
    await intents.setMade(key, { resourceId: found.id, attemptId });
    return { resource: found, adopted: false };
  }
  let resource: Resource;
  try {
    resource = await create(standing.isNew);
  } catch (error) {
    // An earlier request may have created it all the same.
    if (standing.isNew && !mayHaveActed(error)) await intents.forget(key);
    throw error;
  }
  await intents.setMade(key, { resourceId: resource.id, attemptId });
  return { resource, adopted: false };
}

/**
 * Whether an undo has something to delete. Without the id of an answer, that is what this onboarding may have created: what an earlier one of the
 * tenant had made stays.
 */
export const mayHaveMade = (noted: Intent | undefined, { tenantId, attemptId, resourceId }: UndoInput): boolean =>
  noted?.tenantId === tenantId && (resourceId !== null || noted.resourceId === null || noted.attemptId === attemptId);

/** By Temporal's clock, RFC 3339 UTC. */
export const timeOfAttempt = (): string => new Date(activityInfo().currentAttemptScheduledTimestampMs).toISOString();

const taken = ({ kind, subject }: IntentKey): ProviderError =>
  new ProviderError(`create the ${kind} ${subject}`, {
    meaning: 'exists',
    mayHaveActed: false,
    httpStatus: 409,
    code: `${kind}_taken`,
    detail: `the account at the provider has it already, and sendoff did not create it for this tenant. It was not changed. Use another one, or delete it there if nobody needs it`,
  });
