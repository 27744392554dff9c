import {
  allHandlersFinished,
  CancelledFailure,
  condition,
  CancellationScope,
  isCancellation,
  sleep,
} from '@temporalio/workflow';
import type { IssuedKey } from '../../activities/onboarding/create-api-keys.ts';
import type { SentEmail } from '../../activities/onboarding/send-first-email.ts';
import type { CreatedSender } from '../../activities/onboarding/create-sender.ts';
import { Stage } from '../../onboarding/stage.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { tenantKeyOf } from '../../onboarding/onboarding.ts';
import type { OnboardTenantResult } from '../../onboarding/onboarding-record.ts';
import { pauseAfterNotVerifiedMs } from '../../onboarding/time-limits.ts';
import { awaitDelivery } from './await-delivery.ts';
import { awaitDomain } from './await-domain.ts';
import { endAfter, isNotSent, isNotVerified, isUnread, refuseInvalid } from './end-of-onboarding.ts';
import { handleMessages } from './handle-messages.ts';
import { OnboardingFailed } from './onboarding-failed.ts';
import { mayAskQuickly, newRun, type OnboardingRun } from './onboarding-run.ts';
import { recordEnd, startOf } from './record-end.ts';
import { runStep } from './run-step.ts';
import { enterStage } from './show-stage.ts';

/**
 * Takes a tenant from nothing to a delivered first email, in five steps. Fails with a type of `onboarding/failures.ts`,
 * after undoing what that failure does not keep.
 */
export async function onboardTenant(input: OnboardTenantInput): Promise<OnboardTenantResult> {
  refuseInvalid(input);
  const run = newRun(input);
  handleMessages(run);
  try {
    const { tokenRef } = await issueApiKey(run);
    await registerWebhook(run);
    const domainId = await registerDomain(run);
    let sender: CreatedSender | undefined;
    while (sender === undefined) {
      await awaitDomain(run, domainId);
      sender = await createSender(run, domainId);
    }
    const email = await sendFirstEmail(run, sender);
    const { senderId } = sender;
    const { emailId, deliveredAt } = await awaitDelivery(run, email);
    enterStage(run, Stage.done);
    const { verifiedAfterMs, polls } = run;
    const result = {
      keyId: tenantKeyOf(run.onboarding).keyId,
      tokenRef,
      domainId,
      senderId,
      emailId,
      deliveredAt,
      verifiedAfterMs,
      polls,
    };
    await recordEnd(run, { outcome: 'onboarded', result });
    return result;
  } catch (error) {
    return await endAfter(run, error);
  } finally {
    // A caller of checkNow gets its answer even if the onboarding ends meanwhile.
    if (!allHandlersFinished()) await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

function issueApiKey(run: OnboardingRun): Promise<IssuedKey> {
  return runStep(run, 'issueApiKey', { beginning: { ...startOf(), onboarding: run.onboarding } });
}

async function registerWebhook(run: OnboardingRun): Promise<void> {
  const { isAbsent } = await runStep(run, 'registerWebhook', {});
  if (isAbsent === true) run.begun.delete('registerWebhook');
}

async function registerDomain(run: OnboardingRun): Promise<string> {
  const { domainId } = await runStep(run, 'registerDomain', {});
  run.registeredAt = Date.now();
  run.verificationDeadline = run.registeredAt + run.verificationWindowMs;
  run.onboarding.verificationDeadline = new Date(run.verificationDeadline).toISOString();
  return domainId;
}

/** Undefined if the provider refused the sender although it reports the domain as verified: the wait resumes. */
async function createSender(run: OnboardingRun, domainId: string): Promise<CreatedSender | undefined> {
  const { input, onboarding } = run;
  const { consideredCancelled: cancelRequested } = CancellationScope.current();
  try {
    return await runStep(run, 'createSender', { cancelRequested });
  } catch (error) {
    if (!isNotVerified(error)) throw error;
  }
  const times = ++onboarding.timesNotVerified;
  const pauseMs = pauseAfterNotVerifiedMs(times, run.verificationDeadline - Date.now());
  if (pauseMs === undefined) {
    throw new OnboardingFailed({
      type: 'DomainNotVerified',
      message: `The provider refused the sender ${times === 1 ? 'once' : `${times} times`} because ${input.domain} is not verified, but reports the domain as verified`,
      details: { domainId, times, lastStatus: 'verified' },
    });
  }
  if (pauseMs > 0)
    await sleep(pauseMs, {
      summary: `Wait before retrying the sender: the provider reports ${input.domain} as verified but refused it`,
    });
  return undefined;
}

async function sendFirstEmail(
  run: OnboardingRun,
  { senderId, isRepeated: mayBeSent = false }: CreatedSender,
): Promise<SentEmail> {
  const { firstEmail } = run.input;
  const { consideredCancelled: cancelRequested } = CancellationScope.current();
  try {
    return await runStep(run, 'sendFirstEmail', { senderId, firstEmail, cancelRequested, mayBeSent });
  } catch (error) {
    run.isEmailUnread = isUnread(error);
    // In a cancelled scope the SDK begins no Activity, so that none can have sent it. A Local Activity begins all the same.
    run.isEmailNotSent = isNotSent(error) || (cancelRequested && !mayAskQuickly(run) && isCancellation(error));
    throw run.isEmailNotSent ? new CancelledFailure('The onboarding was cancelled before its first email') : error;
  }
}
