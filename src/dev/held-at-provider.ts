import { request } from 'undici';
import type { UndoableStep } from '../onboarding/failures.ts';

/** Which list of the email service shows what a step makes. */
const lists: Readonly<Record<UndoableStep, string>> = {
  issueApiKey: 'api-keys',
  registerWebhook: 'webhooks',
  registerDomain: 'domains',
  createSender: 'senders',
};

export type HeldAtProvider = Record<UndoableStep, string[]>;

/** The ids that the email service's own lists show for a tenant, asked with the operator credential, oldest first. */
export async function heldAtProvider(
  { emailServiceUrl, operatorToken }: { emailServiceUrl: string; operatorToken: string },
  tenantId: string,
): Promise<HeldAtProvider> {
  const idsIn = async (list: string): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ account: tenantId, ...(cursor === null ? {} : { cursor }) });
      const answer = await request(`${emailServiceUrl}/${list}?${query.toString()}`, {
        headers: { authorization: `Bearer ${operatorToken}` },
      });
      // An onboarding that ended before its first answer may have left no account at all.
      if (answer.statusCode === 404) return ids;
      if (answer.statusCode !== 200) throw new Error(`GET /${list} answered ${answer.statusCode}`);
      const page = (await answer.body.json()) as { data: { id: string }[]; next_cursor: string | null };
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return ids;
  };
  const entries = Object.entries(lists).map(async ([step, list]) => [step, await idsIn(list)] as const);
  return Object.fromEntries(await Promise.all(entries)) as HeldAtProvider;
}
