import type { FastifyRequest } from 'fastify';
import { apiKeyTokenFault, sha256Hex } from './api-key-token.ts';
import { ProblemError, refusal } from '../../lib/http/problem.ts';
import { type ApiToken, findApiToken } from '../../lib/api-tokens.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { type Scope, scopesOf } from '../resources/scopes.ts';
import { type AccountStanding, findAccountByName, findKeyOfToken, noteKeyUse, readAccount } from '../store/api-keys.ts';
import { type ErasureMarks, erasureMarks } from '../store/erasure-marks.ts';
import type { ReadableEmails } from '../store/emails.ts';
import type { Store } from '../store/open-store.ts';

export type Caller = { readonly kind: 'operator'; readonly tokenName: string } | AccountCaller;

export interface AccountCaller {
  readonly kind: 'account';
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** The only domain that the key may use; null for all of the account. */
  readonly domainId: string | null;
  readonly expiresAt: string | null;
  readonly standing: AccountStanding;
}

export interface Access {
  /** That the API key must have; null if only the operator token may call it. */
  readonly scope: Scope | null;
  /** Whether the operator token may call it. @default false */
  readonly operator?: true;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on calls that need no credential. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Absent on routes that need no credential. */
    access?: Access;
  }
}

export type Authenticate = (request: FastifyRequest) => Promise<Caller>;

/** Reads `Authorization: Bearer` (RFC 6750 section 2.1). Throws `invalid_api_key`. */
export function createAuthenticate(store: Store, operatorTokens: readonly ApiToken[], now: () => Date): Authenticate {
  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    const operator = findApiToken(operatorTokens, token);
    if (operator !== undefined) return { kind: 'operator', tokenName: operator.name };
    const fault = apiKeyTokenFault(token);
    if (fault !== undefined) throw new ProblemError('invalid_api_key', fault);
    const key = await findKeyOfToken(store, sha256Hex(token));
    if (key === undefined) throw unknownApiKey();
    const { id: keyId, account_id: accountId, domain_id: domainId, expires_at: expiresAt } = key;
    const at = now();
    if (expiresAt !== null && expiresAt <= at.toISOString()) {
      const detail = `This API key expired at ${expiresAt}. Create a new one with POST /api-keys.`;
      throw new ProblemError('invalid_api_key', detail);
    }
    // The request does not wait for it, and succeeds without it.
    noteKeyUse(store, key, at).catch((error: unknown) => {
      request.log.warn({ err: error, keyId }, 'cannot note the use of an API key');
    });
    return { kind: 'account', accountId, keyId, scopes: scopesOf(key.scopes), domainId, expiresAt, standing: key };
  };
}

export const unknownApiKey = (): ProblemError =>
  new ProblemError('invalid_api_key', 'This API key is unknown or revoked. Create a new one with POST /api-keys.');

/** Throws on a route that does not authenticate. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null)
    throw new Error(`${request.routeOptions.url ?? 'a route'} does not authenticate its caller`);
  return request.caller;
}

/** Who does what is recorded: the name of the operator token, or the id of the API key. */
export function callerName(request: FastifyRequest): string {
  const caller = callerOf(request);
  return caller.kind === 'operator' ? caller.tokenName : caller.keyId;
}

/** Throws `insufficient_scope` unless the route's `access` covers the caller. */
export function refuseWithoutAccess(request: FastifyRequest): void {
  const caller = callerOf(request);
  const { access } = request.routeOptions.config;
  if (access === undefined) throw new Error(`${request.routeOptions.url ?? 'a route'} declares no access`);
  if (caller.kind === 'operator') {
    if (access.operator === true) return;
    throw new ProblemError(
      'insufficient_scope',
      'The operator token can only create and revoke API keys, manage accounts, erase recipients and call list endpoints. Use an API key of the account.',
    );
  }
  if (access.scope === null) {
    throw new ProblemError('insufficient_scope', 'This call needs the operator token; found an API key.');
  }
  refuseMissingScopes(caller.scopes, [access.scope], 'This call');
}

/** @param what needs the scopes */
export function refuseMissingScopes(held: readonly Scope[], needed: readonly Scope[], what: string): void {
  const missing = needed.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return;
  const [one, many] = missing.length === 1 ? ['the scope', 'it'] : ['the scopes', 'them'];
  throw new ProblemError(
    'insufficient_scope',
    `${what} needs ${one} ${missing.join(' and ')}; this API key has only ${held.join(' and ')}. Use a key with ${many}.`,
  );
}

/** The account a call acts for. Throws on a route that the operator may call. */
export const accountOf = (request: FastifyRequest): string => accountCaller(request).accountId;

/** Those of the account a call acts for. Throws on a route that the operator may call. */
export function marksOf(sealer: Sealer, request: FastifyRequest): ErasureMarks {
  const { accountId: id, standing } = accountCaller(request);
  return erasureMarks(sealer, { id, sealed_erasure_key: standing.sealed_erasure_key });
}

/** The API key that calls. Throws on a route that the operator may call. */
export function accountCaller(request: FastifyRequest): AccountCaller {
  const caller = callerOf(request);
  if (caller.kind === 'account') return caller;
  throw new Error(`${request.routeOptions.url ?? 'a route'} needs the account of its caller`);
}

/** The only domain that the caller's key may use; undefined for all of the account. */
export function domainOf(request: FastifyRequest): string | undefined {
  const caller = callerOf(request);
  return caller.kind === 'account' ? (caller.domainId ?? undefined) : undefined;
}

/** The emails that the caller may read, and send. */
export const readableBy = (request: FastifyRequest): ReadableEmails => ({
  accountId: accountOf(request),
  domainId: domainOf(request),
});

/**
 * The account to list: the key's own, or the one the operator names. For an unknown name the operator gets `not_found`; a
 * key gets `insufficient_scope`, which does not reveal whether another account exists.
 *
 * @param name the caller's name for the account
 */
export async function accountToList(store: Store, request: FastifyRequest, name: string | undefined): Promise<string> {
  const caller = callerOf(request);
  if (caller.kind === 'account') {
    if (name === undefined || name === (await readAccount(store, caller.accountId)).name) return caller.accountId;
    throw new ProblemError(
      'insufficient_scope',
      'An API key can only list its own account. Omit account, or use the operator token.',
    );
  }
  if (name === undefined) {
    const detail = 'account is missing. The operator token must name the account to list.';
    throw refusal([{ pointer: '/account', code: 'required', detail }]);
  }
  const account = await findAccountByName(store, name);
  if (account === undefined) throw new ProblemError('not_found', `There is no account named ${JSON.stringify(name)}.`);
  return account.id;
}

function bearerToken(header: string | undefined): string {
  if (header === undefined) {
    throw new ProblemError(
      'invalid_api_key',
      'The Authorization header is missing. Send Authorization: Bearer <token>.',
    );
  }
  const [, token] = /^Bearer +([!-~]+) *$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new ProblemError(
      'invalid_api_key',
      'The Authorization header is malformed. It must be Bearer, a space and the token.',
    );
  }
  return token;
}
