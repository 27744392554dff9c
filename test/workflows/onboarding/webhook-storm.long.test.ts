import { Client, type WorkflowHandle } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { buildHttpApp } from '../../../src/http/app.ts';
import { onboardingParts } from '../../../src/client/onboarding/onboarding-parts.ts';
import { signingSecretRef } from '../../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { getIssued } from '../../../src/store/issued-secret.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { type OnboardingEnvironment, realServer, withOnboardings } from '../../support/onboarding-environment.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';

const WEBHOOKS = 5_000;
const EVENTS_MAX = 300;
const content = JSON.stringify({ type: 'domain.verified', timestamp: '2026-01-01T00:00:00Z', data: {} });

/** The HTTP receiver of one server process, on the environment's Temporal server and secrets. */
function receiver({ server, secretStore, ...stores }: OnboardingEnvironment): FastifyInstance {
  const { connection } = server.environment;
  const client = new Client({ connection, namespace: server.namespace });
  const { onboardings } = onboardingParts(client, { ...stores, uiUrl: undefined });
  return buildHttpApp(httpDependencies({ onboardings, secrets: secretStore }));
}

/** Posts webhooks in bursts, each to the next receiver; every tenth ID is posted twice. Returns the number of responses by status. */
async function storm(receivers: readonly FastifyInstance[], secret: string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const webhook = new Webhook(secret);
  const post = async (index: number): Promise<void> => {
    const id = `evt_${index % 10 === 9 ? index - 1 : index}`;
    const at = new Date();
    const answer = await receivers[index % receivers.length]!.inject({
      method: 'POST',
      url: '/webhooks/acme',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': webhook.sign(id, at, content),
      },
      payload: content,
    });
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
  };
  for (let index = 0; index < WEBHOOKS; index += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, offset) => post(index + offset)));
  }
  return statuses;
}

async function untilAwaitingDomain(handle: WorkflowHandle): Promise<void> {
  await expect
    .poll(async () => (await handle.query(onboardingStateQuery)).stage, { timeout: 20_000 })
    .toBe(Stage.awaitingDomain);
}

test.each([1, 4])(
  '5,000 webhooks to one onboarding through %i receivers: it is onboarded, with fewer than 300 events',
  async (count) => {
    await withOnboardings(
      { verified: () => false },
      async (environment) => {
        const { start, scripted, secretStore, history } = environment;
        const handle = await start();
        await untilAwaitingDomain(handle);
        const { secret } = (await getIssued(secretStore, signingSecretRef('acme'))) ?? {};
        expect(secret).toMatch(/^whsec_/);
        const receivers = Array.from({ length: count }, () => receiver(environment));
        try {
          const statuses = await storm(receivers, secret ?? '');
          expect([...statuses]).toEqual([[204, WEBHOOKS]]);
          const { events, signals } = await counted(handle);
          expect(signals).toBeGreaterThanOrEqual(1);
          expect(events).toBeLessThan(EVENTS_MAX);
          // One more webhook, of the verification itself, in the middle of the storm's aftermath.
          scripted.script.verified = () => true;
          const at = new Date();
          const answer = await receivers[0]!.inject({
            method: 'POST',
            url: '/webhooks/acme',
            headers: {
              'webhook-id': 'evt_verified',
              'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
              'webhook-signature': new Webhook(secret ?? '').sign('evt_verified', at, content),
              'content-type': 'application/json',
            },
            payload: content,
          });
          expect(answer.statusCode).toBe(204);
          expect(await handle.result()).toMatchObject({ emailId: expect.any(String) as string });
        } finally {
          await Promise.all(receivers.map((app) => app.close()));
        }
        const { events, signals } = await counted(handle);
        expect((await history(handle)).events).toBe(events);
        expect(events).toBeLessThan(EVENTS_MAX);
        expect(signals).toBeLessThanOrEqual(10 * count);
        expect(scripted.emails).toHaveLength(1);
      },
      { startServer: realServer },
    );
  },
);

async function counted(handle: WorkflowHandle): Promise<{ events: number; signals: number }> {
  const events = (await handle.fetchHistory()).events ?? [];
  return {
    events: events.length,
    signals: events.filter((event) => event.workflowExecutionSignaledEventAttributes).length,
  };
}
