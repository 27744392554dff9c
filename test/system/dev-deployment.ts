import { afterAll, beforeAll, expect } from 'vitest';
import { createApiClient } from '../../src/cli/api-client.ts';
import { findApi } from '../../src/cli/find-api.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { CodeHostServer } from '../../src/dev/code-host/start-code-host.ts';
import { startTestReceiver, type TestReceiver } from '../support/test-receiver.ts';
import { checkSettings, startCheckedHost } from './agents-md-commands.ts';
import { type RunningSendoff, startSendoffWith } from './running-sendoff.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

/** The options of a command that onboards a tenant. */
export const tenantOptions = (data: string, id: string): string[] => [
  ...['--data', data, '--tenant', id, '--domain', `${id}.test`, '--from', `hello@${id}.test`],
  ...['--to', 'ada@inbox.test', '--subject', 'Hello', '--body', 'It works.'],
];

/** A local deployment for the tests of a `describe`, with a backend that is notified and a code host that is checked. */
export function localDeployment() {
  const data = folderOfFile();
  let dev: RunningSendoff;
  let host: CodeHostServer;
  let backend: TestReceiver;

  beforeAll(async () => {
    host = await startCheckedHost();
    backend = await startTestReceiver((response) => response.end());
    dev = await startSendoffWith(checkSettings(host), 'dev', '--notify', `${backend.url}/hooks`, '--data', data);
    await dev.printed(/Press Ctrl-C to stop/);
  });

  afterAll(async () => {
    dev.child.kill('SIGINT');
    await dev.ended;
    await host.stop();
    await backend.stop();
  });

  const viewOf = (id: string): Promise<OnboardingView> => createApiClient(findApi(data, {})).get(id);
  return {
    data,
    viewOf,
    dev: () => dev,
    host: () => host,
    backend: () => backend,
    tenant: (id: string): string[] => tenantOptions(data, id),
    waitsForDomain: (id: string): Promise<void> =>
      expect.poll(async () => (await viewOf(id)).stage, { timeout: 30_000 }).toBe('awaitingDomain'),
  };
}
