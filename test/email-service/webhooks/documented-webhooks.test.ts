import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectDescribed } from '../../support/expect-described.ts';
import { dataSchemas } from '../support/expect-described-events.ts';

test('docs/http-api.md lists every type of event, with an example that its schema describes', () => {
  const document = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');
  const [, section = ''] = /^### Events of the email service\n([\s\S]*?)^## /m.exec(document) ?? [];
  const types = Object.keys(dataSchemas).toSorted();
  expect([...section.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, type]) => type).toSorted()).toEqual(types);
  const examples = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, json = '']) => JSON.parse(json) as { type: string; data: object },
  );
  expect(examples.map(({ type }) => type).toSorted()).toEqual(types);
  expectDescribed(dataSchemas, examples);
});
