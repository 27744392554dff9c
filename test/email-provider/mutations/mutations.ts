// Changes of one field in what an adapter sends or its simulation answers. Each is a change of a source file, so that it shows what the
// tests with the vendors' SDKs find, not what a comparison written for it would.
import type { ProviderName } from '../../../src/onboarding/provider-name.ts';

export interface Mutation {
  readonly provider: ProviderName;
  /** Of a request of the adapter, or an answer of the simulation. */
  readonly part: 'request' | 'answer';
  /** In `src/`. */
  readonly file: string;
  /** Replaced where it occurs first. */
  readonly from: string;
  readonly to: string;
}

const of =
  (provider: ProviderName, part: Mutation['part'], file: string) =>
  (changes: readonly (readonly [from: string, to: string])[]): Mutation[] =>
    changes.map(([from, to]) => ({ provider, part, file, from, to }));

const adapter = (provider: ProviderName, file = `${provider}-account`) =>
  of(provider, 'request', `email-provider/adapters/${provider}/${file}.ts`);
const fake = (provider: ProviderName, file: string) => of(provider, 'answer', `conformance/fakes/${file}.ts`);

export const mutations: readonly Mutation[] = [
  ...adapter('resend')([
    [
      "['POST', '/domains', { ...options, body: { name } }]",
      "['POST', '/domains', { ...options, body: { domain: name } }]",
    ],
    [
      "['POST', `/domains/${encodeURIComponent(domainId)}/verify`",
      "['POST', `/domains/${encodeURIComponent(domainId)}/check`",
    ],
    ["permission: 'sending_access'", "permission: 'full_access'"],
    ['domain_id: domainId', 'domainId'],
    ['body: { name: mark, permission', 'body: { name: `${mark}x`, permission'],
    ['to: [recipient]', 'to: recipient'],
    ['text: body', 'html: body'],
    ["{ name: 'sendoff', value: mark }", "{ name: 'sendoff', content: mark }"],
    ["'idempotency-key': idempotencyKey", "'x-idempotency-key': idempotencyKey"],
    ['endpoint: url', 'url'],
    ["['DELETE', `/api-keys/", "['POST', `/api-keys/"],
    ['limit=${PAGE}', 'count=${PAGE}'],
    ['authorization: `Bearer ${apiKey}`', 'authorization: `Token ${apiKey}`'],
  ]),
  ...fake(
    'resend',
    'fake-resend',
  )([
    ['has_more: from', 'hasMore: from'],
    [
      "...{ id, name, status, created_at: '2026-11-24 12:00:00.000000+00'",
      "...{ id, name, state: status, created_at: '2026-11-24 12:00:00.000000+00'",
    ],
    ['records: recordsOf(name),', 'dns: recordsOf(name),'],
    ["record: 'DKIM'", "record: 'DKIM1'"],
    ["name: at('send'), type: 'MX'", "name: `${at('send')}.${name}`, type: 'MX'"],
    ['{ id: key.id, token: key.token }', '{ id: key.id, key: key.token }'],
    ['last_event: rules.lastEvent(to)', 'status: rules.lastEvent(to)'],
    ['return ok({ id: email.id });', 'return ok({ email_id: email.id });'],
    ['signing_secret: secret', 'secret'],
    ['body: { statusCode, name, message }', 'body: { statusCode, code: name, message }'],
    ["ok({ object: 'domain', id, deleted: true })", "ok({ object: 'domain', domain: id, deleted: true })"],
    ["value: 'feedback-smtp.us-east-1.amazonses.com'", "content: 'feedback-smtp.us-east-1.amazonses.com'"],
  ]),
  ...adapter('postmark')([
    ['ReturnPathDomain: `pm-bounces.${name}`', 'ReturnPath: `pm-bounces.${name}`'],
    ['body: { Name: tenant.mark }', 'body: { ServerName: tenant.mark }'],
    ["'x-postmark-account-token': accountToken", "'x-postmark-server-token': accountToken"],
    ['Url: url,', 'URL: url,'],
    ['({ Name, Value })', '({ Key: Name, Value })'],
    ['Bounce: { Enabled: true, IncludeContent: false }', 'Bounce: { Enabled: true, IncludeContent: true }'],
    ['From: mailboxText(from)', 'Sender: mailboxText(from)'],
    ['TextBody: body', 'HtmlBody: body'],
    ['Metadata: { [INTENT_METADATA]: intentId }', 'Tag: intentId'],
    ['`metadata_${INTENT_METADATA}`', '`metadata.${INTENT_METADATA}`'],
    ['`${path}/verifyDKIM`', '`${path}/verifyDkimRecord`'],
    [
      'const path = `/messages/outbound/${encodeURIComponent(emailId)}/details`',
      'const path = `/messages/outbound/${encodeURIComponent(emailId)}`',
    ],
    ["name: mark, count: '100'", "name: mark, limit: '100'"],
  ]),
  ...fake(
    'postmark',
    'postmark-shapes',
  )([
    ['ApiTokens: [token]', 'Tokens: [token]'],
    ['...{ ID: id, Name: name, SPFVerified', '...{ Id: id, Name: name, SPFVerified'],
    ['DKIMVerified: isSigned', 'DkimVerified: isSigned'],
    ['ReturnPathDomainVerified: isReturnPathVerified', 'ReturnPathVerified: isReturnPathVerified'],
    ['DKIMPendingHost: pending[0]', 'DKIMPending: pending[0]'],
    ['DKIMPendingTextValue: pending[1]', 'DKIMPendingValue: pending[1]'],
    ["ReturnPathDomainCNAMEValue: 'pm.mtasv.net'", "ReturnPathCNAME: 'pm.mtasv.net'"],
    ["Type: 'Bounced', Details", "Type: 'Bounce', Details"],
    ['BounceID: bounceIdOf(id)', 'BounceId: bounceIdOf(id)'],
    ["Status: 'Sent' }", "State: 'Sent' }"],
    ['Type: type, TypeCode: 1', 'BounceType: type, TypeCode: 1'],
    ['Description: `The email', 'Text: `The email'],
    ["Details: details.join(' ')", "Detail: details.join(' ')"],
    ['Recipient: to, ReceivedAt: NOW }', 'Recipient: to, At: NOW }'],
  ]),
  ...fake(
    'postmark',
    'fake-postmark',
  )([
    ['MessageID: email.id', 'MessageId: email.id'],
    ['Servers: pageOf', 'Data: pageOf'],
    ['Messages: pageOf', 'Data: pageOf'],
    ['body: { ErrorCode, Message }', 'body: { Code: ErrorCode, Message }'],
    ['ok({ ID: webhook.id', 'ok({ Id: webhook.id'],
  ]),
  ...adapter('ses')([
    ['{ TenantName: mark, Tags: tagsOf(mark) }', '{ TenantName: mark }'],
    ['Enabled: true', 'Enabled: false'],
    ['SnsDestination: { TopicArn: topicArn }', 'SnsDestination: { Arn: topicArn }'],
    ['Filter: { RESOURCE_TYPE: type }', 'Filter: { ResourceType: type }'],
    ["BehaviorOnMxFailure: 'USE_DEFAULT_VALUE'", "BehaviorOnMxFailure: 'REJECT_MESSAGE'"],
    ['EmailIdentity: name, Tags', 'Identity: name, Tags'],
    ["SigningAttributesOrigin: 'AWS_SES'", "SigningAttributesOrigin: 'EXTERNAL'"],
    ['Text: { Data: body', 'Html: { Data: body'],
    ['ToAddresses: [recipient]', 'CcAddresses: [recipient]'],
    ['Name: MARK_TAG, Value: mark', 'Key: MARK_TAG, Value: mark'],
    ['...{ ConfigurationSetName: mark, TenantName: mark }', '...{ ConfigurationSetName: mark }'],
    ['`${PATH}/outbound-emails`', '`${PATH}/outbound-email`'],
    ['`${TENANTS}/resources/delete`', '`${TENANTS}/resource/delete`'],
  ]),
  ...fake(
    'ses',
    'fake-ses-resources',
  )([
    ['TenantArn: arnOf', 'Arn: arnOf'],
    ["SendingStatus: 'ENABLED'", "SendingStatus: 'ON'"],
    ['VerifiedForSendingStatus: identity', 'VerifiedForSending: identity'],
    ['Tokens: identity.tokens, SigningHostedZone', 'DkimTokens: identity.tokens, SigningHostedZone'],
    ['SigningHostedZone: DKIM_ZONE }', 'HostedZone: DKIM_ZONE }'],
    ['MailFromDomainStatus: identity', 'MailFromStatus: identity'],
    ['MailFromDomain: identity', 'Domain: identity'],
    ['Tags: identity.tags', 'TagList: identity.tags'],
    ['ok({ Tenant: tenantShown', 'ok({ tenant: tenantShown'],
    ['TenantResources: found', 'Resources: found'],
    ['        ResourceArn: arn,\n', '        Arn: arn,\n'],
    ['ok({ EventDestinations:', 'ok({ Destinations:'],
    ["'x-amzn-errortype': name", "'x-amzn-error': name"],
    ["'x-amzn-errortype': 'NotFoundException'", "'x-amzn-errortype': 'NotFound'"],
  ]),
  ...fake('ses', 'fake-ses')([['ok({ MessageId: email.id })', 'ok({ MessageID: email.id })']]),
];

export const nameOf = ({ provider, part, from, to }: Mutation): string => `${provider} ${part}: ${from} -> ${to}`;
