import { request } from 'undici';

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
