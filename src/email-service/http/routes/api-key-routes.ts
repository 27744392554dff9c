import { Type, type Static } from 'typebox';
import { newApiKeyToken, sha256Hex } from '../../auth/api-key-token.ts';
import { type Access, callerOf, type Caller, refuseMissingScopes, unknownApiKey } from '../../auth/authentication.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { newId } from '../../resources/resource-ids.ts';
import { ApiKeyResource, apiKeyResource } from '../../resources/api-key.ts';
import { type Scope, ScopeWord } from '../../resources/scopes.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import { onceShown } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { getOrCreateAccount, insertApiKey, readAccount, revokeApiKey } from '../../store/api-keys.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { deleteRoute } from './delete-route.ts';
import type { AccountTable } from '../../store/schema.ts';

/** May be left out. */
const ApiKeyRequest = Type.Unsafe<{ name?: string; account?: string; scopes?: Scope[] } | null | undefined>({
  type: ['object', 'null'],
  properties: {
    name: oneLine({ minLength: 1, maxLength: 200, description: 'A label to recognize this key by.' }),
    account: oneLine({
      minLength: 1,
      maxLength: 200,
      description:
        "The caller's name for the account, which is created if it does not exist. Without it, the operator token creates an account named after its id. An API key can name only its own account.",
    }),
    scopes: Type.Array(ScopeWord, {
      minItems: 1,
      uniqueItems: true,
      description:
        'What the new key may do: at most what the API key that creates it may. Without it, the new key may do the same as the credential that creates it.',
    }),
  },
  additionalProperties: false,
});

const NewApiKey = Type.Object(
  { ...ApiKeyResource.properties, ...onceShown('token') },
  { description: 'The new API key with its token, which is not shown again.' },
);

const manageOrOperator: Access = { scope: 'manage', operator: true };

export function apiKeyRoutes(app: EmailServiceApp, { store, now, createOnce }: ServiceParts): void {
  app.post(
    '/api-keys',
    {
      config: { access: manageOrOperator, idempotencyOwner: 'key' },
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        body: ApiKeyRequest,
        response: { 201: NewApiKey, ...problemResponses('withBody') },
      },
    },
    (request, reply) =>
      createOnce<Static<typeof NewApiKey>>(request, reply, () => {
        const { name = null, account: accountName, scopes } = request.body ?? {};
        const caller = callerOf(request);
        if (caller.kind === 'account' && scopes !== undefined)
          refuseMissingScopes(caller.scopes, scopes, 'Creating a key with these scopes');
        const token = newApiKeyToken();
        return {
          async create(transaction) {
            const account = await accountFor(transaction, caller, accountName, now());
            const row = {
              id: newId('key'),
              account_id: account.id,
              name,
              token_sha256: sha256Hex(token),
              last_four: token.slice(-4),
              scopes: storedScopes(caller, scopes),
              parent_id: caller.kind === 'account' ? caller.keyId : null,
              created_at: now().toISOString(),
              revoked_at: null,
            };
            if (!(await insertApiKey(transaction, row))) throw unknownApiKey();
            return { status: 201, body: apiKeyResource(row), secret: { token } };
          },
        };
      }),
  );

  deleteRoute(app, {
    path: '/api-keys/:id',
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key immediately, with every key that it created, and those that they created',
    },
    access: manageOrOperator,
    what: 'API key',
    done: 'Revoked.',
    remove: (request, id) => {
      const caller = callerOf(request);
      return revokeApiKey(store, id, caller.kind === 'account' ? caller.accountId : undefined, now());
    },
  });
}

/** Null for every scope: also for those of later versions. */
function storedScopes(caller: Caller, asked: readonly Scope[] | undefined): string | null {
  const scopes = asked ?? (caller.kind === 'account' ? caller.scopes : null);
  return scopes === null ? null : JSON.stringify(scopes);
}

/** The operator may open accounts; a key stays in its account. */
async function accountFor(
  transaction: StoreTransaction,
  caller: Caller,
  name: string | undefined,
  now: Date,
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  if (caller.kind === 'operator') return getOrCreateAccount(transaction, name, now);
  const account = await readAccount(transaction, caller.accountId);
  if (name === undefined || name === account.name) return account;
  throw new ProblemError(
    'insufficient_scope',
    'An API key can only create keys for its own account. Omit account, or use the operator token.',
  );
}
