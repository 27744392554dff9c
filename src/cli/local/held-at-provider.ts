import { request } from 'undici';
import type { UndoableStep } from '../../onboarding/failures.ts';

/** Which list of the email service shows what a step makes. */
const lists: Readonly<Record<UndoableStep, string>> = {
  issueApiKey: 'api-keys',
  registerWebhook: 'webhooks',
  registerDomain: 'domains',
  createSender: 'senders',
};

export type HeldAtProvider = Record<UndoableStep, string[]>;

/** The ids that the email service's own lists show for a tenant, asked with the operator credential, oldest first. */
export async function heldAtProvider(access: OperatorAccess, tenantId: string): Promise<HeldAtProvider> {
  const entries = Object.entries(lists).map(async ([step, list]) => {
    const resources = await listAtProvider<{ id: string }>(access, list, tenantId);
    return [step, resources.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as HeldAtProvider;
}

/** Where the email service answers, and the credential that may ask for every account. */
export interface OperatorAccess {
  readonly url: string;
  readonly operatorToken: string;
}

/** Everything that one of the email service's own lists shows for a tenant, oldest first; nothing without an account. */
export async function listAtProvider<Resource>(
  { url, operatorToken }: OperatorAccess,
  list: string,
  tenantId: string,
): Promise<Resource[]> {
  const found: Resource[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ account: tenantId, ...(cursor === null ? {} : { cursor }) });
    const answer = await request(`${url}/${list}?${query.toString()}`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    // An onboarding that ended before its first answer may have left no account at all.
    if (answer.statusCode === 404) {
      await answer.body.dump();
      return found;
    }
    if (answer.statusCode !== 200) {
      throw new Error(`GET /${list} answered ${answer.statusCode}: ${await answer.body.text()}`);
    }
    const page = (await answer.body.json()) as { data: Resource[]; next_cursor: string | null };
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}
