import { request } from 'undici';
import { withDeadline } from '../../../lib/timing/with-deadline.ts';
import { ok, skipped, warning } from '../check.ts';
import { check, type DoctorContext } from '../doctor-context.ts';

/** Webhooks are refused from 300 s; a smaller difference already shows that a clock is not synchronized. */
const SKEW_SECONDS_MAX = 5;
/** A slower answer says too little about the time. */
const CLOCK_ANSWER_MS = 3_000;

export const clockCheck = check('clock', async (context, signal) => {
  const sources = await clockSources(context);
  const measured = await Promise.all(
    sources.map(async ({ name, url }) => ({ name, seconds: await secondsAhead(url, signal) })),
  );
  const known = measured.flatMap(({ name, seconds }) => (seconds === undefined ? [] : [{ name, seconds }]));
  if (known.length === 0) return skipped('no server answered with its time');
  const [worst = { name: '', seconds: 0 }] = known.toSorted((a, b) => Math.abs(b.seconds) - Math.abs(a.seconds));
  if (Math.abs(worst.seconds) <= SKEW_SECONDS_MAX)
    return ok(`agrees within ${SKEW_SECONDS_MAX} s with ${known.map(({ name }) => name).join(', ')}`);
  const way = worst.seconds > 0 ? 'ahead of' : 'behind';
  return warning(
    `${worst.name} is ${Math.abs(Math.round(worst.seconds))} s ${way} this machine; webhooks are refused from 300 s`,
    'Synchronize both clocks with NTP, and check this one with: timedatectl',
  );
});

async function clockSources(context: DoctorContext): Promise<{ name: string; url: string }[]> {
  const { EMAIL_PROVIDER_URL, SENDOFF_PUBLIC_URL, TEMPORAL_UI_URL } = await context.settings(
    'EMAIL_PROVIDER_URL',
    'SENDOFF_PUBLIC_URL',
    'TEMPORAL_UI_URL',
  );
  return [
    { name: 'the provider', url: EMAIL_PROVIDER_URL },
    ...(SENDOFF_PUBLIC_URL === undefined ? [] : [{ name: 'the server', url: SENDOFF_PUBLIC_URL }]),
    ...(TEMPORAL_UI_URL === undefined ? [] : [{ name: 'the Temporal UI', url: TEMPORAL_UI_URL }]),
  ];
}

/** By the Date header (RFC 9110 section 6.6.1), which has whole seconds. Undefined without an answer or a header. */
async function secondsAhead(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const sentAt = Date.now();
    const { headers } = await withDeadline(
      CLOCK_ANSWER_MS,
      async (ended) => {
        const answer = await request(url, { signal: ended });
        await answer.body.dump();
        return answer;
      },
      signal,
    );
    const here = (sentAt + Date.now()) / 2;
    const there = Date.parse(String(headers['date'])) + 500;
    return Number.isNaN(there) ? undefined : (there - here) / 1_000;
  } catch {
    return undefined;
  }
}
