import { request } from 'undici';
import { heldAtProvider, type HeldAtProvider } from '../../src/dev/held-at-provider.ts';
import type { EmailResource } from '../../src/email-service/resources/email.ts';

/** What the email service holds for one tenant, by its own lists. */
export interface Held {
  readonly byStep: Readonly<HeldAtProvider>;
  readonly emails: readonly Pick<EmailResource, 'id' | 'message_id' | 'status' | 'attempts'>[];
}

export interface EmailServiceAddress {
  readonly url: string;
  readonly operatorToken: string;
}

/** An onboarding has one email; a second page would already be the fault that is looked for. */
const EMAILS_MAX = 100;

/** Throws while the email service does not answer. */
export async function heldAtService({ url, operatorToken }: EmailServiceAddress, tenantId: string): Promise<Held> {
  const byStep = await heldAtProvider({ emailServiceUrl: url, operatorToken }, tenantId);
  const query = new URLSearchParams({ account: tenantId, limit: String(EMAILS_MAX) });
  const answer = await request(`${url}/emails?${query.toString()}`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  // An onboarding that was cancelled before its first call has left no account.
  if (answer.statusCode === 404) {
    await answer.body.dump();
    return { byStep, emails: [] };
  }
  if (answer.statusCode !== 200)
    throw new Error(`GET /emails answered ${answer.statusCode}: ${await answer.body.text()}`);
  const page = (await answer.body.json()) as { data: EmailResource[] };
  return { byStep, emails: page.data };
}
