import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { producersSchedule } from '../../../src/client/agents-md/producers-schedule.ts';
import { keepSchedule } from '../../../src/lib/temporal/keep-schedule.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import {
  joinInstallation,
  leaveInstallation,
  OtherInstallationError,
} from '../../../src/client/upkeep/join-installation.ts';
import { INSTALLATION_WORKFLOW_ID, PRODUCERS_SCHEDULE_ID } from '../../../src/workflows/messages.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { programs, refusalOf, settingsOf, start } from '../../support/start-program.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

let server: TestServer;
let client: Client;
const { urlOf, withDatabase, remove } = databaseFiles();
beforeAll(async () => {
  server = await sharedDevServer();
  ({ client } = server.environment);
});
afterAll(async () => {
  await server.stop();
  remove();
});
beforeEach(async () => {
  await holder()
    .terminate()
    .catch(() => undefined);
});

const holder = () => client.workflow.getHandle(INSTALLATION_WORKFLOW_ID);
const startProgram = (program: (typeof programs)[number], name: string) =>
  start[program](settingsOf(urlOf(name), { SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace }), server);
const joinWith = (name: string) =>
  withDatabase(name, (database) => joinInstallation({ client, database, databaseUrl: urlOf(name) }));

test.each(programs)('a %s with another database refuses to start and says what to do', async (program) => {
  const first = await startProgram('server', 'ours');
  const again = await startProgram(program, 'ours');
  const refusal = await refusalOf(startProgram(program, 'other'));
  expect(refusal).toBeInstanceOf(OtherInstallationError);
  const { message } = refusal as Error;
  expect(message).toContain(await withDatabase('ours', installationIdOf));
  expect(message).toContain(await withDatabase('other', installationIdOf));
  expect(message).toContain(urlOf('other'));
  expect(message).toContain('stop its programs, release the Namespace');
  expect(message).toContain(
    `temporal workflow terminate --namespace ${server.namespace} --workflow-id ${INSTALLATION_WORKFLOW_ID}`,
  );

  // Those that run would claim it again.
  for (const running of [again, first]) await running.stop();
  await holder().terminate();
  const other = await startProgram(program, 'other');
  await expect(joinWith('ours')).rejects.toThrow(OtherInstallationError);
  await other.stop();
});

test('of programs that start at once with two databases, only those of one database join', async () => {
  const names = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'left' : 'right'));
  const joined = await Promise.all(
    names.map((name) =>
      joinWith(name).then(
        () => name,
        () => undefined,
      ),
    ),
  );
  const winners = joined.filter((name) => name !== undefined);
  expect(winners).toHaveLength(5);
  expect(new Set(winners).size).toBe(1);
});

test('a temporary deployment releases its own Namespace only', async () => {
  await joinWith('ours');
  await keepSchedule(client, producersSchedule(true));
  const schedule = client.schedule.getHandle(PRODUCERS_SCHEDULE_ID);
  await withDatabase('other', (database) => leaveInstallation({ client, database }));
  await expect(joinWith('other')).rejects.toThrow(OtherInstallationError);
  await schedule.describe();
  await withDatabase('ours', (database) => leaveInstallation({ client, database }));
  await expect(schedule.describe()).rejects.toThrow(ScheduleNotFoundError);
  await joinWith('other');
});
