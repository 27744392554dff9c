export interface Tenant {
  readonly tenantId: string;
  readonly domain: string;
}

export interface SixCalls {
  /** Resolves with the tenant's token. */
  createKey(tenant: Tenant): Promise<string>;
  createWebhook(tenant: Tenant, token: string): Promise<string>;
  /** Resolves with the id of the domain. */
  createDomain(tenant: Tenant, token: string): Promise<string>;
  /** Resolves with the status of the domain. */
  getDomain(domainId: string, token: string): Promise<string>;
  /** Resolves with the id of the sender. */
  createSender(tenant: Tenant, token: string): Promise<string>;
  /** Resolves with the status of the email. */
  sendEmail(senderId: string, token: string): Promise<string>;
}

/** One after the other: in a Workflow as Activities, or without an engine. */
export async function makeSixCalls(calls: SixCalls, tenant: Tenant): Promise<string> {
  const token = await calls.createKey(tenant);
  await calls.createWebhook(tenant, token);
  const domainId = await calls.createDomain(tenant, token);
  await calls.getDomain(domainId, token);
  const senderId = await calls.createSender(tenant, token);
  return await calls.sendEmail(senderId, token);
}
