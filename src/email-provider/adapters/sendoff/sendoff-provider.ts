import type { AccountProvider, ProviderCallOptions, EmailProvider, ProviderDomain } from '../../email-provider.ts';
import { type Method, newAgent } from '../../http-exchange.ts';
import { ProviderUnreachable, unless } from '../../provider-error.ts';
import { unreadable, withoutCall } from './error-answer.ts';
import { type HttpCall, callWith } from './http-call.ts';
import {
  isOwnId,
  NotOfContract,
  readDeletion,
  readDomain,
  readDomainId,
  readEmail,
  readKey,
  readNewDomain,
  readSender,
  readWebhook,
} from './read-resources.ts';

export interface HttpEmailProvider extends EmailProvider {
  close(): Promise<void>;
}

/**
 * The HTTP client of the email API. It does not retry: Temporal does.
 *
 * @param baseUrl without a slash at its end
 * @param operatorToken the credential of POST /api-keys
 */
export function createHttpEmailProvider({
  baseUrl,
  operatorToken,
}: {
  baseUrl: string;
  operatorToken: string;
}): HttpEmailProvider {
  const agent = newAgent();
  const operator = typedCalls(callWith({ agent, baseUrl, token: operatorToken }));
  return {
    createApiKey: (requested, options) => operator.post('/api-keys', options, requested, readKey),
    async revokeApiKey(keyId, options) {
      if (isOwnId(keyId)) throw withoutCall(`DELETE /api-keys/${keyId}`, 'the provider gave the key no id');
      await operator.delete('api-keys', keyId, options);
    },
    withKey: (token) => accountProvider(typedCalls(callWith({ agent, baseUrl, token }))),
    close: () => agent.close(),
  };
}

/** The resources that an account's key can look up without the operator token. */
export interface AccountLookUps {
  /** Undefined if the account has no domain of this name. @param name lower case */
  findDomain(name: string, options?: ProviderCallOptions): Promise<ProviderDomain | undefined>;
  close(): Promise<void>;
}

/** @param baseUrl without a slash at its end */
export function createAccountLookUps({ baseUrl, token }: { baseUrl: string; token: string }): AccountLookUps {
  const agent = newAgent();
  const calls = typedCalls(callWith({ agent, baseUrl, token }));
  return {
    async findDomain(name, options) {
      const path = `/domains?name=${encodeURIComponent(name)}`;
      const id = await calls.get(path, options, (list) => readDomainId(list, name));
      return id === undefined ? undefined : accountProvider(calls).getDomain(id, options);
    },
    close: () => agent.close(),
  };
}

function accountProvider(calls: TypedCalls): AccountProvider {
  return {
    createWebhook: (requested, options) => calls.post('/webhooks', options, requested, readWebhook),
    deleteWebhook: (webhookId, options) => calls.delete('webhooks', webhookId, options),
    async createDomain(requested, options) {
      const created = await calls.post('/domains', options, requested, (domain) => readNewDomain(domain, requested));
      if ('records' in created) return created;
      return calls.get(at('domains', created.id), options, (domain) => readRecordsOf(domain, created));
    },
    getDomain: (domainId, options) =>
      calls.get(at('domains', domainId), options, (domain) => readDomain(domain, { id: domainId })),
    requestVerification: (domainId, options) =>
      // The call is not in the specification: a provider without it checks on its own schedule.
      unless(
        'unsupported',
        calls.post(`${at('domains', domainId)}/verify`, options, undefined, () => undefined),
      ),
    deleteDomain: (domainId, options) => calls.delete('domains', domainId, options),
    createSender: ({ fromAddress, ...name }, options) =>
      calls.post('/senders', options, { from_address: fromAddress, ...name }, readSender),
    renameSender: (senderId, name, options) => calls.patch(at('senders', senderId), options, { name }),
    deleteSender: (senderId, options) => calls.delete('senders', senderId, options),
    sendEmail: ({ senderId, ...content }, options) =>
      calls.post('/emails', options, { sender_id: senderId, ...content }, (email) => readEmail(email)),
    getEmail: (emailId, options) => calls.get(at('emails', emailId), options, (email) => readEmail(email, emailId)),
  };
}

/** Records of a domain whose creation was answered without them. */
function readRecordsOf(content: unknown, { id }: { readonly id: string }): ProviderDomain {
  try {
    return readDomain(content, { id });
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    throw unreadable('POST /domains', `a success without records, and the GET has ${error.message}`);
  }
}

const at = (collection: string, id: string): string => `/${collection}/${encodeURIComponent(id)}`;

type TypedCalls = ReturnType<typeof typedCalls>;

/** Calls that parse their successes. One that cannot be parsed counts as no answer, and of a creation as a refusal. */
function typedCalls(call: HttpCall) {
  async function read<T>(
    [method, path, options, body]: [Method, string, ProviderCallOptions | undefined, object | undefined],
    reader: (content: unknown) => T,
  ): Promise<T> {
    const content = await call(method, path, options, body);
    try {
      return reader(content);
    } catch (error) {
      if (!(error instanceof NotOfContract)) throw error;
      const name = `${method} ${path}`;
      if (method === 'POST') throw unreadable(name, error.message);
      throw new ProviderUnreachable(name, error.message);
    }
  }
  return {
    get: <T>(path: string, options: ProviderCallOptions | undefined, reader: (content: unknown) => T) =>
      read(['GET', path, options, undefined], reader),
    post: <T>(
      path: string,
      options: ProviderCallOptions | undefined,
      body: object | undefined,
      reader: (content: unknown) => T,
    ) => read(['POST', path, options, body], reader),
    patch: (path: string, options: ProviderCallOptions | undefined, body: object) =>
      read(['PATCH', path, options, body], () => undefined),
    delete: (collection: string, id: string, options: ProviderCallOptions | undefined) =>
      read(['DELETE', at(collection, id), options, undefined], (content) => {
        readDeletion(content, id);
      }),
  };
}
