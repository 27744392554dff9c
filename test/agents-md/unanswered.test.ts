import { describe, expect, test } from 'vitest';
import { unanswered } from '../../src/agents-md/unanswered.ts';

const observedAt = '2026-03-01T10:00:00.000Z';
const place = { in: 'primary', organization: 'acme', repository: 'docs site', path: 'AGENTS.md' } as const;
const fetch = { step: 'fetch', host: 'github.com', place, look: 'second', notBefore: null, hopsMax: 2 } as const;
const resolve = { step: 'resolve', host: 'gitlab.com', organization: 'acme', hopsMax: 2 } as const;
const file = (failure: Parameters<typeof unanswered>[1]) => unanswered({ ...fetch, stored: null }, failure, observedAt);
const resolution = (failure: Parameters<typeof unanswered>[1]) => unanswered(resolve, failure, observedAt);

describe('a request that failed', () => {
  const mirror = 'https://mirror.example/acme/docs/HEAD/AGENTS.md';

  test('keeps the cause and the requested URL', () => {
    const message = 'github.com limits the request rate (status 429)';
    expect(file({ type: 'HostThrottled', message, url: mirror })).toMatchObject({
      kind: 'file',
      answer: 'throttled',
      detail: message,
      url: mirror,
      place,
      look: 'second',
      httpStatus: null,
      redirects: [],
      measurement: null,
      observedAt,
    });
  });

  test('is unreachable unless the host limits the rate', () => {
    expect(file({ type: 'HostUnreachable', message: 'github.com: status 503', url: mirror })).toMatchObject({
      answer: 'unreachable',
      detail: 'github.com: status 503',
    });
  });

  test('may be for the primary repository', () => {
    const url = 'https://mirror.example/api/groups/acme/projects';
    expect(resolution({ type: 'HostThrottled', message: 'gitlab.com: busy.', url })).toEqual({
      kind: 'resolution',
      answer: 'throttled',
      detail: 'gitlab.com: busy',
      url,
      httpStatus: null,
      redirects: [],
      observedAt,
      repository: null,
      selectedBy: null,
    });
  });
});

test.each([
  [
    file,
    'no request to github.com was possible in time',
    'https://raw.githubusercontent.com/acme/docs%20site/HEAD/AGENTS.md',
  ],
  [resolution, 'no request to gitlab.com was possible in time', 'https://gitlab.com/api/v4'],
])('reports a plain sentence and the public URL without an attempt', (observe, detail, url) => {
  expect(observe({ type: null })).toMatchObject({ answer: 'unreachable', detail, url });
});
