import { request } from 'undici';
import type { UndoableStep } from '../../onboarding/failures.ts';

/** The list of the email service that shows what each step created. */
const lists: Readonly<Record<UndoableStep, string>> = {
  issueApiKey: 'api-keys',
  registerWebhook: 'webhooks',
  registerDomain: 'domains',
  createSender: 'senders',
};

export type HeldAtProvider = Record<UndoableStep, string[]>;

/** The ids in the email service's lists of a tenant, oldest first. */
export async function heldAtProvider(access: OperatorAccess, tenantId: string): Promise<HeldAtProvider> {
  const entries = Object.entries(lists).map(async ([step, list]) => {
    const resources = await listAtProvider<{ id: string }>(access, list, tenantId);
    return [step, resources.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as HeldAtProvider;
}

/** Access to the lists of every account. */
export interface OperatorAccess {
  readonly url: string;
  readonly operatorToken: string;
}

/** All resources in one list of the email service, oldest first; empty if the tenant has no account. */
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
    // An onboarding that ended early may not have created an account.
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
