import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import type { FailureType } from '../../onboarding/failures.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { Stage } from '../../onboarding/stage.ts';
import type { DevEnvironmentOptions } from '../../dev/dev-environment.ts';
import type { DnsMistake } from '../../dev/world/dns-mistake-names.ts';
import { startSenderRefusal } from '../../dev/world/sender-refusal.ts';
import type { World } from '../../dev/world/start-world.ts';
import { RECIPIENT_DOMAIN, TENANT_DOMAIN } from '../../dev/world/world-zones.ts';

/** The failures that the demo can show: the three exits, and a cancellation by an operator. */
export type DemoFailure = 'F1' | 'F2' | 'F3' | 'cancel';

export interface DemoScenario {
  readonly input: OnboardTenantInput;
  /** How the onboarding must end. */
  readonly expected: FailureType | Exclude<OnboardingView['outcome'], 'failed'>;
  readonly providerProxy?: DevEnvironmentOptions['providerProxy'];
  /** Runs before the onboarding starts. */
  readonly prepare?: (world: World) => void;
  /** The tenant's mistake. @default it publishes the records as shown */
  readonly mistake?: DnsMistake;
  /** The stage in which the operator cancels. */
  readonly cancelIn?: Stage;
}

const SHORT_WINDOW = '15 seconds';

const input: OnboardTenantInput = {
  tenantId: 'acme',
  domain: TENANT_DOMAIN,
  fromAddress: `hello@${TENANT_DOMAIN}`,
  firstEmail: {
    recipient: `ada@${RECIPIENT_DOMAIN}`,
    subject: 'Welcome aboard',
    body: 'Your domain is set up, and this email came through it.\n',
  },
};

const UNKNOWN_RECIPIENT = `nobody@${RECIPIENT_DOMAIN}`;

const failing: Readonly<Record<DemoFailure, DemoScenario>> = {
  F1: {
    input: { ...input, verificationWindow: SHORT_WINDOW },
    expected: 'DomainVerificationTimedOut',
    mistake: 'host_doubled',
  },
  F2: {
    input: { ...input, verificationWindow: SHORT_WINDOW },
    expected: 'DomainNotVerified',
    providerProxy: startSenderRefusal,
  },
  F3: {
    input: { ...input, firstEmail: { ...input.firstEmail, recipient: UNKNOWN_RECIPIENT } },
    expected: 'EmailBounced',
    prepare: ({ mail }) => {
      mail.refuse({
        recipient: UNKNOWN_RECIPIENT,
        reply: { code: 550, enhanced: '5.1.1', text: `${UNKNOWN_RECIPIENT} does not exist` },
      });
    },
  },
  cancel: { input, expected: 'cancelled', cancelIn: Stage.awaitingDomain },
};

export const demoScenario = (failure: DemoFailure | undefined): DemoScenario =>
  failure === undefined ? { input, expected: 'onboarded' } : failing[failure];
