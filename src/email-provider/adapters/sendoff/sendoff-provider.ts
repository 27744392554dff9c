import type { AccountProvider, ProviderCallOptions, EmailProvider, ProviderDomain } from '../../email-provider.ts';
import { newAgent } from '../../http-exchange.ts';
import { ProviderUnreachable, unless } from '../../provider-error.ts';
import { unreadable, withoutCall } from './error-answer.ts';
import { type CallTarget, type HttpCall, httpCall } from './http-call.ts';
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
  const call = readCalls({ agent, baseUrl, token: operatorToken });
  return {
    createApiKey: (requested, options) => call(['POST', '/api-keys', { ...options, body: requested }], readKey),
    async revokeApiKey(keyId, options) {
      if (isOwnId(keyId)) throw withoutCall(`DELETE /api-keys/${keyId}`, 'the provider gave the key no id');
      await remove(call, 'api-keys', keyId, options);
    },
    withKey: (token) => accountProvider(readCalls({ agent, baseUrl, token })),
    close: () => agent.close(),
  };
}

/** What an account's key can look up without the operator token. @param baseUrl without a slash at its end */
export function createAccountLookUps({ baseUrl, token }: { baseUrl: string; token: string }) {
  const agent = newAgent();
  const call = readCalls({ agent, baseUrl, token });
  return {
    /** Undefined if the account has no domain of this name. @param name lower case */
    async findDomain(name: string, options?: ProviderCallOptions): Promise<ProviderDomain | undefined> {
      const path = `/domains?name=${encodeURIComponent(name)}`;
      const id = await call(['GET', path, options], (list) => readDomainId(list, name));
      return id === undefined ? undefined : accountProvider(call).getDomain(id, options);
    },
    close: () => agent.close(),
  };
}

function accountProvider(call: ReadCall): AccountProvider {
  return {
    createWebhook: (requested, options) => call(['POST', '/webhooks', { ...options, body: requested }], readWebhook),
    deleteWebhook: (webhookId, options) => remove(call, 'webhooks', webhookId, options),
    async createDomain(requested, options) {
      const created = await call(['POST', '/domains', { ...options, body: requested }], (domain) =>
        readNewDomain(domain, requested),
      );
      if ('records' in created) return created;
      return call(['GET', at('domains', created.id), options], (domain) => readRecordsOf(domain, created));
    },
    getDomain: (domainId, options) =>
      call(['GET', at('domains', domainId), options], (domain) => readDomain(domain, { id: domainId })),
    requestVerification: (domainId, options) =>
      // The call is not in the specification: a provider without it checks on its own schedule.
      unless(
        'unsupported',
        call(['POST', `${at('domains', domainId)}/verify`, options], () => undefined),
      ),
    deleteDomain: (domainId, options) => remove(call, 'domains', domainId, options),
    createSender: ({ fromAddress, ...name }, options) =>
      call(['POST', '/senders', { ...options, body: { from_address: fromAddress, ...name } }], readSender),
    renameSender: (senderId, name, options) =>
      call(['PATCH', at('senders', senderId), { ...options, body: { name } }], () => undefined),
    deleteSender: (senderId, options) => remove(call, 'senders', senderId, options),
    sendEmail: ({ senderId, ...content }, options) =>
      call(['POST', '/emails', { ...options, body: { sender_id: senderId, ...content } }], (email) => readEmail(email)),
    getEmail: (emailId, options) => call(['GET', at('emails', emailId), options], (email) => readEmail(email, emailId)),
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

const remove = (call: ReadCall, collection: string, id: string, options?: ProviderCallOptions): Promise<void> =>
  call(['DELETE', at(collection, id), options], (content) => {
    readDeletion(content, id);
  });

type ReadCall = <T>(call: HttpCall, read: (content: unknown) => T) => Promise<T>;

/** Calls that parse their successes. One that cannot be parsed counts as no answer, and of a creation as a refusal. */
const readCalls =
  (target: CallTarget): ReadCall =>
  async (call, read) => {
    const content = await httpCall(target, call);
    try {
      return read(content);
    } catch (error) {
      if (!(error instanceof NotOfContract)) throw error;
      const [method, path] = call;
      const name = `${method} ${path}`;
      if (method === 'POST') throw unreadable(name, error.message);
      throw new ProviderUnreachable(name, error.message);
    }
  };
