import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { RECIPIENT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import type { PlannedTenant } from '../crash/crash-plan.ts';
import type { PatientBackend } from '../crash/patient-backend.ts';
import { playTenant } from '../crash/play-tenant.ts';
import type { Deployment } from '../deployment/start-deployment.ts';

/** The tenant that sends them. */
export const SENDER: PlannedTenant = { id: 'sender', kind: 'good', pauseMs: 0, publishAfterMs: 0, cancelAfterMs: 0 };
export const loadRecipients = /^load-/;

const PAUSE_MS = 200;

/** Onboards a tenant and sends its emails, five a second, until the signal aborts. Resolves with how many were accepted. */
export async function sendEmails(
  { emailService: { url, operatorToken }, world }: Deployment,
  options: { readonly backend: PatientBackend; readonly signal: AbortSignal },
): Promise<number> {
  const { backend, signal } = options;
  const { onboarding } = await playTenant(SENDER, { backend, world, signal, seen: () => undefined, lookPauseMs: 500 });
  const post = async (path: string, token: string, body: object): Promise<unknown> => {
    const answer = await request(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`POST ${path} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text);
  };
  const { token } = (await post('/api-keys', operatorToken, { account: SENDER.id, name: 'load' })) as { token: string };
  let accepted = 0;
  while (!signal.aborted) {
    const recipient = `load-${accepted}@${RECIPIENT_DOMAIN}`;
    const email = { sender_id: onboarding.senderId, recipient, subject: 'Load', body: 'It works.\n'.repeat(50) };
    await post('/emails', token, email);
    accepted += 1;
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return accepted;
}
