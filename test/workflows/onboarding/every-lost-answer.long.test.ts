// A relay before a simulated provider lets it act and loses one answer of a whole onboarding, another one in each run, until there is none
// left: each tenant has one of each. The same for each answer in the undo of a cancelled onboarding, after which nothing is left.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markOf } from '../../../src/activities/onboarding/operator-accounts.ts';
import { type Relay, startRelay } from '../../../src/dev/relay.ts';
import { openFake, type OpenedFake } from '../../../src/conformance/targets/fake-target.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { inputOf, manyOnboardings, type OnboardingEnvironment } from '../../support/onboarding-environment.ts';

const TEST_MS = 240_000;
/** More than any onboarding makes. */
const REQUESTS_MAX = 60;

/** The conformance kit loses the answers of all of them, without a Workflow. */
const provider = 'resend';

describe(`at ${provider}`, () => {
  let farEnd: OpenedFake;
  let relay: Relay;
  let account: OperatorAccount;
  beforeEach(async () => {
    farEnd = await openFake(provider);
    relay = await startRelay(farEnd.url);
    const connected = farEnd.connect(relay.url);
    if (connected.account === undefined) throw new Error(`${provider} has no operator's account`);
    account = connected.account;
  });
  afterEach(async () => {
    await relay.stop();
    await account.close();
    await farEnd.close();
  });

  /** On the real server: the time-skipping one keeps its clock locked after a cancellation during an Activity. */
  const atProvider = (use: (environment: OnboardingEnvironment) => Promise<void>): Promise<void> =>
    manyOnboardings(
      {
        // The tenant publishes the records before the first look at them.
        async checkRecords(domain, expected) {
          await farEnd.publish(domain, expected);
          return farEnd.checkRecords(domain, expected);
        },
      },
      async (environment) => {
        const events = createSqlProviderEvents(environment.database);
        const forget = farEnd.onEvents?.((received) => events.store(provider, received));
        await use(environment);
        forget?.();
      },
      { accounts: { [provider]: account } },
    );

  function tenantOf(tenantId: string) {
    const { firstEmail, ...others } = inputOf(tenantId);
    const recipient = farEnd.recipient(tenantId, 'delivered') ?? '';
    const input = { ...others, firstEmail: { ...firstEmail, recipient } };
    const { domain } = input;
    const held = () => farEnd.held({ tenantId, mark: markOf(tenantId, { installationId: 'test' }), domain, recipient });
    return { input, held };
  }

  test(
    'each answer of an onboarding is lost in turn, and each tenant has one of each',
    () =>
      atProvider(async ({ start }) => {
        const lost: string[] = [];
        for (let number = 0; number < REQUESTS_MAX; number += 1) {
          const { input, held } = tenantOf(`tenant-${number}`);
          let requests = 0;
          const lostBefore = lost.length;
          relay.fault = ({ method, path }) => {
            requests += 1;
            if (requests - 1 !== number) return undefined;
            lost.push(`${method} ${path}`);
            return { when: 'after', answer: 'reset' };
          };
          await (await start(input)).result();
          expect(await held(), lost.at(-1)).toEqual(farEnd.whole);
          if (lost.length === lostBefore) break;
        }
        expect(lost.length).toBeGreaterThan(5);
        expect(lost.length).toBeLessThan(REQUESTS_MAX);
      }),
    TEST_MS,
  );

  test(
    'each answer of an undo is lost in turn, and nothing is left',
    () =>
      atProvider(async ({ start, server, register }) => {
        const lost: string[] = [];
        for (let number = 0; number < REQUESTS_MAX; number += 1) {
          const { input, held } = tenantOf(`tenant-${number}`);
          let requests = 0;
          const lostBefore = lost.length;
          let isCancelled = false;
          relay.fault = async ({ method, path }) => {
            const stage = (await register.get(input.tenantId))?.onboarding.stage;
            if (stage === Stage.creatingSender && !isCancelled) {
              isCancelled = true;
              await server.environment.client.workflow.getHandle(onboardingWorkflowId(input.tenantId)).cancel();
            }
            if (stage !== Stage.undoing) return undefined;
            requests += 1;
            if (requests - 1 !== number) return undefined;
            lost.push(`${method} ${path}`);
            return { when: 'after', answer: 'reset' };
          };
          await expect((await start(input)).result()).rejects.toThrow();
          expect(
            Object.entries(await held()).filter(([, count]) => count > 0),
            lost.at(-1),
          ).toEqual([]);
          if (lost.length === lostBefore) break;
        }
        expect(lost.length).toBeGreaterThan(1);
        expect(lost.length).toBeLessThan(REQUESTS_MAX);
      }),
    TEST_MS,
  );
});
