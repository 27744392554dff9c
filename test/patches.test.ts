import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isFrom, type Patch, patches } from '../src/lib/temporal/patches.ts';
import { patchesOfSteps } from '../src/onboarding/steps.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Release {
  /** By file. */
  readonly sources: Readonly<Record<string, string>>;
  readonly patches: Readonly<Record<string, Patch>>;
  readonly changelog: string;
}

/** What would keep a release from being taken back, or take a patch to be old that is new. */
function patchFaults({ sources, patches: listed, changelog }: Release): string[] {
  const calls = Object.entries(sources).flatMap(([file, source]) =>
    [...source.matchAll(/\b(?:patched|deprecatePatch)\(\s*(?:'([^']*)')?/g)].map(([, id]) => ({ file, id })),
  );
  return [
    ...calls.flatMap(({ file, id }) => {
      if (id === undefined) return [`${file} calls a patch without its id as a text`];
      return id in listed ? [] : [`${file} calls ${id}, which lib/temporal/patches.ts does not list`];
    }),
    ...Object.entries(listed).flatMap(([id, { shippedIn, activeFrom }]) => [
      ...(calls.some((call) => call.id === id) ? [] : [`no Workflow calls ${id}`]),
      ...(isFrom(shippedIn, activeFrom) ? [`${id} is active in ${shippedIn}, the release that introduces it`] : []),
      ...(sectionOf(changelog, shippedIn).includes(`\`${id}\``)
        ? []
        : [`the section ${shippedIn} of CHANGELOG.md does not name ${id}`]),
    ]),
  ];
}

function sectionOf(changelog: string, release: string): string {
  const sections = changelog.split(/^## /m);
  return sections.find((section) => section.split(/[\s,]/, 1)[0] === release) ?? '';
}

describe('the check of patches', () => {
  const release: Release = {
    sources: { 'onboard-tenant.ts': "if (patched('ask-twice')) await ask();" },
    patches: { 'ask-twice': { shippedIn: '0.2.0', activeFrom: '0.3.0' } },
    changelog: '# Changelog\n\n## 0.3.0\n\n- Other.\n\n## 0.2.0\n\n- Asks twice (`ask-twice`).\n',
  };

  test('accepts a patch that a later release activates', () => {
    expect(patchFaults(release)).toEqual([]);
  });

  test.each([
    ['a call that is not listed', { patches: {} }, 'onboard-tenant.ts calls ask-twice, which'],
    [
      'a call whose id is computed',
      { sources: { 'a.ts': 'patched(`ask`) + patched(id);' }, patches: {} },
      'without its id',
    ],
    [
      'a deprecation that is not listed',
      { sources: { 'a.ts': "deprecatePatch('old')" }, patches: {} },
      'a.ts calls old',
    ],
    ['a patch that nothing calls', { sources: {} }, 'no Workflow calls ask-twice'],
    [
      'a patch that is active in the release that introduces it',
      { patches: { 'ask-twice': { shippedIn: '0.2.0', activeFrom: '0.2.0' } } },
      'ask-twice is active in 0.2.0',
    ],
    [
      'a new patch that is said to be of an earlier release',
      { patches: { 'ask-twice': { shippedIn: '0.1.0', activeFrom: '0.2.0' } } },
      'the section 0.1.0 of CHANGELOG.md does not name ask-twice',
    ],
  ] as const)('refuses %s', (_case, change, fault) => {
    expect(patchFaults({ ...release, ...change })).toContainEqual(expect.stringContaining(fault));
  });
});

test('every patch of a Workflow is listed, and inactive in the release that ships it', () => {
  const folders = ['src/workflows', 'src/email-service/workflows', 'src/lib/workflow-waits'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const ofSteps = patchesOfSteps();
  // The one call for the rows of the table of steps.
  const calls = Object.keys(ofSteps).map((id) => `patched('${id}')`);
  const sources = Object.fromEntries(
    files.map((file) => [file, readFileSync(join(root, file), 'utf8').replace('patched(since.patch)', calls.join())]),
  );
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(patchFaults({ sources, patches: { ...patches, ...ofSteps }, changelog })).toEqual([]);
});

test.each([
  ['0.3.0', true],
  ['0.3.0+build.5', true],
  ['0.3.1-rc.1', true],
  ['0.10.0', true],
  ['0.3.0-rc.1', false],
  ['0.2.9', false],
])('%s is from 0.3.0: %s', (release, expected) => {
  expect(isFrom(release, '0.3.0')).toBe(expected);
});
