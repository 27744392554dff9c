import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { deliveriesTaskQueueOf, emailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
});

const idIn = async (file: string): Promise<string> => {
  const store = await openStore(`file:${join(folder, file)}`);
  const id = await installationIdOf(store);
  await store.destroy();
  return id;
};

test('a database keeps the id of its installation, and no other database has it', async () => {
  const id = await idIn('one.db');
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  expect(await idIn('one.db')).toBe(id);
  expect(await idIn('other.db')).not.toBe(id);
});

test('Workflow Ids and Task Queues carry the installation', () => {
  const names = emailServiceNames('0a1b2c3d4e5f');
  expect(names).toMatchObject({
    taskQueue: 'email-service/0a1b2c3d4e5f',
    deliveriesTaskQueue: 'email-service-deliveries/0a1b2c3d4e5f',
    sweepOutboxWorkflowId: 'email-service/0a1b2c3d4e5f/sweep-outbox',
  });
  expect(names.workflowId('deliver-webhook/evt_1/whk_1')).toBe('deliver-webhook/0a1b2c3d4e5f/evt_1/whk_1');
  // What a Workflow of an earlier version, on the queue without an id, computes when it is replayed.
  expect(deliveriesTaskQueueOf('email-service')).toBe('email-service-deliveries');
});
