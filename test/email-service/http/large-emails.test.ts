import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { email, type SendingApi, startSendingApi } from '../support/test-api.ts';

let api: SendingApi;
beforeAll(async () => {
  api = await startSendingApi();
});
afterAll(() => api.end());

/** Escaped as by clients that escape more than JSON requires. */
const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

const post = (body: string, html: string) =>
  api.inject({
    method: 'POST',
    url: '/emails',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${api.token}`,
      'idempotency-key': Math.random().toString(),
    },
    payload: `${JSON.stringify(email(api.senderId))
      .slice(0, -1)
      .replace(/"body":"[^"]*"/, `"body":"${body}"`)},"html":"${html}"}`,
  });

describe('body and html of 1,000,000 bytes each', () => {
  test.each([
    ['umlauts', 'ä', 500_000],
    ['Chinese', '你', 333_333],
    ['emoji', '📬', 250_000],
    ['ASCII', '<', 1_000_000],
  ])('are accepted when the client escapes them: %s', async (_, character, times) => {
    const content = escaped(character).repeat(times);
    const answer = await post(content, content);
    expect(answer.statusCode, answer.body.slice(0, 300)).toBe(202);
  });

  test('are refused by the field when one is a byte longer, and not by the size of the request', async () => {
    const answer = await post(escaped('<').repeat(1_000_001), 'x');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/body', code: 'too_long' }] });
  });
});
