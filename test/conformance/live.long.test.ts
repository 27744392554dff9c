// A live run, with the simulation in the provider's place: what it creates is noted before, and deleted; its recording holds nothing of the
// account, and shows where the provider answers otherwise.
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ACCESS_KEY_ID, SECRET_ACCESS_KEY, startFakeSes } from '../../src/conformance/fakes/fake-ses.ts';
import { REGION, TOPIC_ARN } from '../../src/conformance/fakes/fake-sns.ts';
import { FAKE_KEY } from '../../src/conformance/fakes/fake-resend.ts';
import { readRecording } from '../../src/conformance/recording.ts';
import type { TargetReport } from '../../src/conformance/report.ts';
import { type LoopbackServer, serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';
import { folder, printed, resend, run, useLiveRuns } from './live-runs.ts';

useLiveRuns();

test('proves what it can without DNS, and leaves what was there; its recording holds no credential, address, domain or id, and shows what has changed', async () => {
  const file = join(folder, 'recording.jsonl');
  resend.domains.push({ id: 'own', name: 'customer.example', status: 'verified' });
  resend.keys.push({ id: 'key', name: 'production', token: 're_production' });
  await run({ provider: 'resend', live: true, domain: 'customer.example', yes: true, record: file, json: true });
  const [report] = (JSON.parse(printed) as { reports: TargetReport[] }).reports;
  expect(report?.cases.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(report?.cases.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(4);
  expect(report?.cases.find(({ group }) => group === 'whole')).toMatchObject({ verdict: 'not proven' });
  expect(report?.left).toEqual([]);
  expect(printed).not.toContain(FAKE_KEY);
  expect([resend.domains.map(({ id }) => id), resend.keys.map(({ id }) => id), resend.emails]).toEqual([
    ['own'],
    ['key'],
    [],
  ]);
  expect(existsSync(join(folder, 'journal.jsonl'))).toBe(false);
  const text = readFileSync(file, 'utf8');
  const { provider, target, exchanges } = readRecording(file);
  expect([provider, target]).toEqual(['resend', 'live']);
  expect(exchanges.length).toBeGreaterThan(3);
  expect(exchanges.map(({ operation }) => operation)).toContain('POST /domains');
  for (const secret of [FAKE_KEY, 'customer', '@', 'so-', ...resend.keys.map(({ token }) => token)])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/[0-9a-f]{8}/);
  expect(await run({ replay: file })).toBe(0);
  expect(printed).toMatch(/^resend, live, .*: \d+ exchanges; 0 differences from the simulation\n$/);

  // As if the provider had changed.
  const answered = readFileSync(file, 'utf8');
  const changes: [string, string][] = [
    ['"status":"not_started"', '"status":"verifying"'],
    ['"region":', '"zone":"string(4)","region":'],
    ['"ttl":"string(4)",', ''],
  ];
  for (const [from] of changes) expect(answered).toContain(from);
  writeFileSync(
    file,
    changes.reduce((text, [from, to]) => text.replaceAll(from, to), answered),
  );
  expect(await run({ replay: file })).toBe(1);
  expect(printed).toContain('POST /domains 201: zone is not in the simulation');
  expect(printed).toContain('POST /domains 201: records[].ttl is in the simulation alone');
  expect(printed).toContain('POST /domains 201: status = verifying is a value that the simulation never gives');
});

test('creates nothing without consent or a domain', async () => {
  expect(await run({ provider: 'resend', live: true, domain: 'example.test' }, { agrees: false })).toBe(1);
  await expect(run({ provider: 'resend', live: true, yes: true })).rejects.toThrow('--domain');
  await expect(run({ live: true, yes: true })).rejects.toThrow('--provider');
  expect(resend.requests).toEqual([]);
});

/** Amazon's gate: refuses what is not signed, by Amazon's own signer, for the host of the request. */
async function startGate(target: string): Promise<LoopbackServer & { refused: string[] }> {
  const refused: string[] = [];
  const credentials = { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY };
  const signer = await new SESv2Client({ region: REGION, credentials }).config.signer();
  const server = await serveOnLoopback((incoming, response) => {
    void (async () => {
      const { method = '', url = '/', headers } = incoming;
      const { host = '', authorization = '', 'content-type': type } = headers;
      const body = await text(incoming);
      const { pathname, searchParams } = new URL(url, target);
      const signedAt = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      const expected = await signer.sign(
        {
          ...{ method, protocol: 'https:', hostname: host, path: pathname },
          query: Object.fromEntries(searchParams),
          headers: { host, ...(type !== undefined && { 'content-type': type }) },
          ...(body !== '' && { body }),
        },
        { signingDate: new Date(signedAt), signingService: 'ses' },
      );
      const isSigned = expected.headers['authorization'] === authorization;
      if (!isSigned) refused.push(`${method} ${url}`);
      const passed = { authorization, 'content-type': type ?? '' };
      const answer = isSigned
        ? await fetch(target + url, { method, headers: passed, ...(body !== '' && { body }) })
        : new Response('{"message":"The request signature does not match."}', {
            ...{ status: 403, headers: { 'x-amzn-errortype': 'InvalidSignatureException' } },
          });
      const errorType = answer.headers.get('x-amzn-errortype');
      response.writeHead(answer.status, errorType === null ? {} : { 'x-amzn-errortype': errorType });
      response.end(await answer.text());
    })();
  });
  return { ...server, refused };
}

test("at SES, signs for Amazon's host what passes the relay, and leaves nothing", async () => {
  const ses = await startFakeSes({ isPublished: () => false });
  const gate = await startGate(ses.baseUrl);
  try {
    const environment = {
      ...{ SES_REGION: REGION, SES_TOPIC_ARN: TOPIC_ARN, SES_URL: gate.url, SES_REQUESTS_PER_SECOND: '1000' },
      ...{ SES_ACCESS_KEY_ID: ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY },
    };
    await run({ provider: 'ses', live: true, domain: 'example.test', yes: true, json: true }, { environment });
    const [report] = (JSON.parse(printed) as { reports: TargetReport[] }).reports;
    expect(gate.refused).toEqual([]);
    expect(report?.cases.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(report?.cases.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(4);
    expect(report?.left).toEqual([]);
    expect(printed).not.toContain(SECRET_ACCESS_KEY);
    expect([ses.identities.size, ses.tenants.size, ses.sets.size, ses.emails]).toEqual([0, 0, 0, []]);
  } finally {
    await gate.stop();
    await ses.close();
  }
});
