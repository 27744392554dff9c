import { Type, type Static } from 'typebox';
import { newApiKeyToken, sha256Hex } from '../../auth/api-key-token.ts';
import { callerOf, type Caller } from '../../auth/authentication.ts';
import { ProblemError, refusal } from '../../../lib/http/problem.ts';
import { newId } from '../../resources/resource-ids.ts';
import { ApiKeyResource, apiKeyResource } from '../../resources/api-key.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import { onceShown } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { getOrCreateAccount, insertApiKey, readAccount, revokeApiKey } from '../../store/api-keys.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { deleteRoute } from './delete-route.ts';
import type { AccountTable } from '../../store/schema.ts';

const ApiKeyRequest = Type.Object(
  {
    name: Type.Optional(oneLine({ minLength: 1, maxLength: 200, description: 'A label to recognize this key by.' })),
    account: Type.Optional(
      oneLine({
        minLength: 1,
        maxLength: 200,
        description:
          "The caller's name for the account, which is created if it does not exist. Required with the operator credential; an API key can name only its own account.",
      }),
    ),
  },
  { additionalProperties: false },
);

const NewApiKey = Type.Object(
  { ...ApiKeyResource.properties, ...onceShown('token') },
  { description: 'The new API key with its token, which is not shown again.' },
);

export function apiKeyRoutes(app: EmailServiceApp, { store, now, createOnce }: ServiceParts): void {
  app.post(
    '/api-keys',
    {
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        security: [{ operator: [] }, { apiKey: [] }],
        body: ApiKeyRequest,
        response: { 201: NewApiKey, ...problemResponses('withBody') },
      },
    },
    (request, reply) =>
      createOnce<Static<typeof NewApiKey>>(request, reply, () => {
        const { name = null, account: accountName } = request.body;
        const caller = callerOf(request);
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
              created_at: now().toISOString(),
              revoked_at: null,
            };
            await insertApiKey(transaction, row);
            return { status: 201, body: apiKeyResource(row), secret: { token } };
          },
        };
      }),
  );

  deleteRoute(app, {
    path: '/api-keys/:id',
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key immediately',
      security: [{ operator: [] }, { apiKey: [] }],
    },
    what: 'API key',
    done: 'Revoked.',
    remove: (request, id) => {
      const caller = callerOf(request);
      return revokeApiKey(store, id, caller.kind === 'account' ? caller.accountId : undefined, now());
    },
  });
}

/** The operator may open accounts by name; a key stays in its account. */
async function accountFor(
  transaction: StoreTransaction,
  caller: Caller,
  name: string | undefined,
  now: Date,
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  if (caller.kind === 'operator') {
    if (name !== undefined) return getOrCreateAccount(transaction, name, now);
    const detail = 'account is missing. The operator credential must name the account of the new key.';
    throw refusal([{ pointer: '/account', code: 'required', detail }]);
  }
  const account = await readAccount(transaction, caller.accountId);
  if (name === undefined || name === account.name) return account;
  throw new ProblemError(
    'insufficient_scope',
    'An API key can only create keys for its own account. Omit account, or use the operator credential.',
  );
}
