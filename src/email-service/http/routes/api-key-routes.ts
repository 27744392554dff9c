import { Type, type Static } from 'typebox';
import { newApiKeyToken, sha256Hex } from '../../auth/api-key-token.ts';
import { type Access, callerOf, type Caller, refuseMissingScopes, unknownApiKey } from '../../auth/authentication.ts';
import { ProblemError, refusal } from '../../../lib/http/problem.ts';
import type { Sealer } from '../../../lib/sealing.ts';
import { queryTime } from '../../../lib/http/query-time.ts';
import { newId } from '../../resources/resource-ids.ts';
import { ApiKeyResource, apiKeyResource } from '../../resources/api-key.ts';
import { type Scope, ScopeWord } from '../../resources/scopes.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import { onceShown } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { getOrCreateAccount, insertApiKey, readAccount, revokeApiKey } from '../../store/api-keys.ts';
import { findDomain } from '../../store/domains.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { deleteRoute } from './delete-route.ts';
import type { AccountTable } from '../../store/schema.ts';

const apiKeyFields = Type.Partial(
  Type.Object({
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
    domain_id: oneLine({
      minLength: 1,
      maxLength: 100,
      description:
        'A domain of the account: the key may send from its senders only, and read its emails only. Such a key has at most the scopes send and read.',
    }),
    expires_at: Type.String({
      format: 'date-time',
      description:
        'When the key stops working: not after the API key that creates it, whose time it has if this is left out.',
    }),
  }),
);
type ApiKeyFields = Static<typeof apiKeyFields>;
/** May be left out. */
const ApiKeyRequest = Type.Unsafe<ApiKeyFields | null | undefined>({
  ...{ type: ['object', 'null'], properties: apiKeyFields.properties },
  additionalProperties: false,
});

const NewApiKey = Type.Object(
  { ...ApiKeyResource.properties, ...onceShown('token') },
  { description: 'The new API key with its token, which is not shown again.' },
);

const manageOrOperator: Access = { scope: 'manage', operator: true };

export function apiKeyRoutes(app: EmailServiceApp, { store, sealer, now, createOnce }: ServiceParts): void {
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
        const { name = null, account: accountName, domain_id: domainId = null } = request.body ?? {};
        const caller = callerOf(request);
        const scopes = scopesToGive(caller, request.body ?? {});
        const expiresAt = expiryToGive(caller, request.body?.expires_at, now());
        const token = newApiKeyToken();
        return {
          async create(transaction) {
            const account = await accountFor(transaction, caller, accountName, { sealer, now: now() });
            if (domainId !== null && (await findDomain(transaction, account.id, domainId)) === undefined) {
              const detail = `This account has no domain with the id ${JSON.stringify(domainId)}. Register one with POST /domains.`;
              throw refusal([{ pointer: '/domain_id', code: 'domain_not_found', detail }]);
            }
            const row = {
              id: newId('key'),
              account_id: account.id,
              name,
              token_sha256: sha256Hex(token),
              last_four: token.slice(-4),
              scopes: scopes === null ? null : JSON.stringify(scopes),
              parent_id: caller.kind === 'account' ? caller.keyId : null,
              domain_id: domainId,
              created_at: now().toISOString(),
              expires_at: expiresAt,
              last_used_at: null,
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

/** All other calls concern the whole account. */
const SCOPES_OF_DOMAIN: readonly Scope[] = ['send', 'read'];

/** Null for every scope: also for those of later versions. */
function scopesToGive(caller: Caller, { scopes: asked, domain_id: domainId }: ApiKeyFields): readonly Scope[] | null {
  const held = caller.kind === 'account' ? caller.scopes : null;
  if (asked !== undefined && held !== null) refuseMissingScopes(held, asked, 'Creating a key with these scopes');
  if (domainId === undefined) return asked ?? held;
  const given = asked ?? SCOPES_OF_DOMAIN.filter((scope) => held?.includes(scope) ?? true);
  if (given.length > 0 && given.every((scope) => SCOPES_OF_DOMAIN.includes(scope))) return given;
  const found = given.length === 0 ? 'the API key that creates it has neither' : `found ${given.join(' and ')}`;
  const detail = `A key of one domain has the scopes send, read or both; ${found}. Leave out domain_id for a key of the whole account.`;
  throw refusal([{ pointer: '/scopes', code: 'not_of_one_domain', detail }]);
}

/** Null for a key that never expires. */
function expiryToGive(caller: Caller, asked: string | undefined, now: Date): string | null {
  const latest = caller.kind === 'account' ? caller.expiresAt : null;
  const expiresAt = queryTime('expires_at', asked)?.toISOString() ?? latest;
  if (expiresAt !== null && expiresAt <= now.toISOString()) {
    const detail = `expires_at must be in the future; found ${expiresAt}, and it is ${now.toISOString()}.`;
    throw refusal([{ pointer: '/expires_at', code: 'in_the_past', detail }]);
  }
  if (latest === null || expiresAt === null || expiresAt <= latest) return expiresAt;
  throw new ProblemError(
    'insufficient_scope',
    `This API key expires at ${latest}, and one that it creates cannot expire later. Use the operator token, or an earlier expires_at.`,
  );
}

/** The operator may open accounts; a key stays in its account. */
async function accountFor(
  transaction: StoreTransaction,
  caller: Caller,
  name: string | undefined,
  made: { readonly sealer: Sealer; readonly now: Date },
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  if (caller.kind === 'operator') return getOrCreateAccount(transaction, name, made);
  const account = await readAccount(transaction, caller.accountId);
  if (name === undefined || name === account.name) return account;
  throw new ProblemError(
    'insufficient_scope',
    'An API key can only create keys for its own account. Omit account, or use the operator token.',
  );
}
