import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { readEmailServiceConfig } from '../../../src/email-service/config.ts';
import { patchActivation } from '../../../src/lib/temporal/patches.ts';
import { releaseOptions, unknownPatches, workerRelease } from '../../../src/lib/temporal/worker-release.ts';
import { emailServiceRequires, orchestratorRequires } from '../../support/required-settings.ts';

const programs = {
  orchestrator: (settings: Record<string, string>) => readConfig({ ...orchestratorRequires, ...settings }).release,
  'email service': (settings: Record<string, string>) =>
    readEmailServiceConfig({ ...emailServiceRequires, ...settings }).release,
};

describe.each(Object.entries(programs))('%s', (_program, read) => {
  test('is not versioned without a Worker Deployment', () => {
    expect(read({})).toEqual({ version: undefined, heldPatches: [] });
  });

  test('reads its version and the patches to hold', () => {
    const names = { TEMPORAL_DEPLOYMENT_NAME: 'sendoff/sendoff-worker', TEMPORAL_WORKER_BUILD_ID: '0.2.0' };
    expect(read({ ...names, SENDOFF_HOLD_PATCHES: 'one, check-on-wake-up' })).toEqual({
      version: { deploymentName: 'sendoff/sendoff-worker', buildId: '0.2.0' },
      heldPatches: ['one', 'check-on-wake-up'],
    });
  });

  test.each(['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'])('refuses %s alone', (name) => {
    expect(() => read({ [name]: 'one' })).toThrow(
      'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID must both be set, or neither',
    );
  });

  test.each([
    ['TEMPORAL_DEPLOYMENT_NAME', '__sendoff'],
    ['TEMPORAL_WORKER_BUILD_ID', 'sendoff:1'],
    ['SENDOFF_HOLD_PATCHES', 'one,,two'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`${name} must be`);
  });
});

test('names the Workers after program, host and process, and versions them only if asked', () => {
  const unversioned = releaseOptions('sendoff-worker', workerRelease({} as Parameters<typeof workerRelease>[0]));
  expect(unversioned.identity).toBe(`sendoff-worker/${hostname()}/${process.pid}`);
  expect(unversioned).not.toHaveProperty('workerDeploymentOptions');
  const version = { deploymentName: 'sendoff-worker', buildId: '2' };
  expect(releaseOptions('sendoff-worker', { version, heldPatches: [] }).workerDeploymentOptions).toEqual({
    version,
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  });
});

test('names held patches that the release does not have', () => {
  expect(unknownPatches({ version: undefined, heldPatches: ['not-a-patch'] })).toEqual(['not-a-patch']);
});

describe('a patch', () => {
  const known = { 'ask-twice': { shippedIn: '0.9.0', activeFrom: '0.10.0' } };
  type Input = Parameters<ReturnType<typeof patchActivation>>[0];
  const isActive = (release: string, { patchId = 'ask-twice', held = [] as string[] } = {}): boolean =>
    patchActivation({ release, held, known })({ patchId } as Input);

  test('is inactive in the release that ships it, and active from a later one on', () => {
    expect(['0.8.0', '0.9.0', '0.9.3', '0.10.0', '0.11.0', '1.0.0'].map((release) => isActive(release))).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ]);
  });

  test('stays inactive if it is held, or not listed', () => {
    expect(isActive('0.10.0', { held: ['ask-twice'] })).toBe(false);
    expect(isActive('0.10.0', { patchId: 'not-listed' })).toBe(false);
  });
});
