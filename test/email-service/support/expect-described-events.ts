import { webhookData } from '../../../src/email-service/http/schemas/webhooks.ts';
import { webhookBody } from '../../../src/email-service/webhooks/webhook-body.ts';
import { expectDescribed } from '../../support/expect-described.ts';
import type { TestStore } from './test-store.ts';

export const dataSchemas = Object.fromEntries(Object.entries(webhookData).map(([type, { data }]) => [type, data]));

/** Fails unless the OpenAPI document describes what is posted of each event. */
export async function expectDescribedEvents(test: TestStore): Promise<void> {
  const bodies = (await test.events()).map(({ type, data }) => webhookBody({ type, timestamp: '', data }));
  expectDescribed(
    dataSchemas,
    bodies.map((body) => JSON.parse(body) as { type: string; data: object }),
  );
}
