import { expect, onTestFinished, test } from 'vitest';
import { noFaults, ok, readBody, serveFake } from '../../src/conformance/fakes/serve-fake.ts';

test.each([
  ['{"name":"acme.test"}', '', 200],
  ['', '', 200],
  ['{"name":', '', 400],
  ['{}', '%ff', 400],
  ['null', '', 500],
])('a simulated provider answers the body %j at /domains/%s with %i', async (body, id, status) => {
  const fake = await serveFake(noFaults, (_request, { url, content }) =>
    ok({ id: decodeURIComponent(url.pathname), name: String(readBody(content)['name']) }),
  );
  onTestFinished(fake.close);
  for (const request of ['the first', 'the next one']) {
    const answer = await fetch(`${fake.baseUrl}/domains/${id}`, { method: 'POST', ...(body !== '' && { body }) });
    expect(answer.status, request).toBe(status);
    expect(await answer.json()).toBeTypeOf('object');
  }
});
