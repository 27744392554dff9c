import { request } from 'undici';
import { type UndoableRow, undoableRows } from '../../onboarding/steps.ts';

/** By what created them; `ownKey` is the key that sendoff keeps for itself. */
export type HeldAtProvider = Readonly<Record<UndoableRow['step'] | 'ownKey', readonly string[]>>;

/** The ids in the email service's lists of a tenant, oldest first. */
export async function heldAtProvider(access: OperatorAccess, tenantId: string): Promise<HeldAtProvider> {
  const idsOf = async (list: string, fits: (resource: Listed) => boolean = () => true): Promise<string[]> =>
    (await listAtProvider<Listed>(access, list, tenantId)).filter(fits).map(({ id }) => id);
  const isOwn = ({ scopes = [] }: Listed): boolean => scopes.includes('manage');
  const ofSteps = undoableRows.map(async ({ step, listedIn }) => [step, await idsOf(listedIn, (one) => !isOwn(one))]);
  const held = Object.fromEntries(await Promise.all(ofSteps)) as Omit<HeldAtProvider, 'ownKey'>;
  return { ...held, ownKey: await idsOf('api-keys', isOwn) };
}

interface Listed {
  readonly id: string;
  /** Scopes of an API key. */
  readonly scopes?: readonly string[];
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
