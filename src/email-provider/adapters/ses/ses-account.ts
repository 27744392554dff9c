// Amazon SES (https://docs.aws.amazon.com/ses/latest/APIReference-V2/). In the operator's account, a tenant has an SES tenant and a
// configuration set, both named by its mark. The set publishes to the operator's SNS topic, which alone says what became of an email.
import { isObject } from '../../../lib/json-value.ts';
import { spaceCalls } from '../../../lib/timing/space-calls.ts';
import type { ProviderCallOptions } from '../../email-provider.ts';
import type { Mark, MarkedSender, OperatorAccount } from '../../operator-account.ts';
import { fieldsIn, textIn } from '../../answer-fields.ts';
import { domainOfAddress } from '../../mailbox-text.ts';
import { type Meaning, ProviderError, ProviderUnreachable, unless } from '../../provider-error.ts';
import { accountFaults, examineAccount } from './examine-account.ts';
import { arnBeside, type Identity, listIn, MAIL_FROM_LABEL, MARK_TAG, markIn, readIdentity } from './read-answers.ts';
import { INTENT_TAG, subscribedEvents } from './read-event.ts';
import { createSesClient, type SesSettings } from './ses-client.ts';
import { topicSubscriptions } from './topic-subscriptions.ts';

/** Events of an accepted email follow within seconds; SNS posts them again for an hour. */
const SETTLE_MS = 600_000;
const DESTINATION = 'sendoff';
const PATH = '/v2/email';
const TENANTS = `${PATH}/tenants`;
const SETS = `${PATH}/configuration-sets`;
const IDENTITIES = `${PATH}/identities`;
const CHARSET = 'UTF-8';
/** A tenant has one set and a few identities. */
const RESOURCE_PAGES_MAX = 20;

export interface SesAccountSettings extends SesSettings {
  readonly topicArn: string;
  /** The limit of requests to SES, except those that send. */
  readonly requestsPerSecond: number;
}

export function createSesAccount(settings: SesAccountSettings): OperatorAccount {
  const { region, topicArn, requestsPerSecond } = settings;
  const client = createSesClient(settings);
  // Of this process; the Task Queue has the rate of all.
  const ask = spaceCalls(requestsPerSecond, client.ses);

  /** The names and contents are sendoff's, so that a refusal is about the account. */
  const open = (path: string, body: object, options?: ProviderCallOptions): Promise<unknown> =>
    ask('POST', path, { ...options, body, look: () => Promise.resolve('transient') });

  const getTenant = async (
    mark: Mark,
    options?: ProviderCallOptions,
  ): Promise<{ arn: string; mark?: string } | undefined> => {
    const answer = await unless('gone', ask('POST', `${TENANTS}/get`, { ...options, body: { TenantName: mark } }));
    if (answer === undefined) return undefined;
    const tenant = fieldsIn(answer, 'Tenant');
    const [arn, tag] = [textIn(tenant, 'TenantArn'), markIn(tenant)];
    if (arn === undefined) throw unread('GetTenant');
    return { arn, ...(tag !== undefined && { mark: tag }) };
  };

  /** Of a tenant that sendoff has made. */
  async function tenantArn(mark: Mark, options?: ProviderCallOptions): Promise<string> {
    const tenant = await getTenant(mark, options);
    if (tenant?.mark === mark) return tenant.arn;
    throw new ProviderError('GetTenant', {
      ...{ meaning: 'refused', mayHaveActed: false, httpStatus: 409, code: 'tenant_not_marked' },
      detail: `SES has no tenant ${mark} with the tag ${MARK_TAG}, which sendoff sets`,
    });
  }

  async function createTenant(mark: Mark, options?: ProviderCallOptions): Promise<string> {
    const created = await unless('exists', open(TENANTS, { TenantName: mark, Tags: tagsOf(mark) }, options));
    return textIn(created, 'TenantArn') ?? tenantArn(mark, options);
  }

  async function setDestination(mark: Mark, options?: ProviderCallOptions): Promise<void> {
    const destinations = `${SETS}/${mark}/event-destinations`;
    const definition = {
      Enabled: true,
      MatchingEventTypes: subscribedEvents,
      SnsDestination: { TopicArn: topicArn },
    };
    const body = { EventDestinationName: DESTINATION, EventDestination: definition };
    if ((await unless('exists', open(destinations, body, options))) !== undefined) return;
    // SES_TOPIC_ARN may have changed since.
    await ask('PUT', `${destinations}/${DESTINATION}`, { ...options, body: { EventDestination: definition } });
  }

  const isOurs = (destination: unknown): boolean =>
    textIn(fieldsIn(destination, 'SnsDestination'), 'TopicArn') === topicArn &&
    subscribedEvents.every((type) => listIn(destination, 'MatchingEventTypes').includes(type));

  async function resourcesOf(mark: Mark, type: string, options?: ProviderCallOptions): Promise<string[]> {
    const arns: string[] = [];
    let next: string | undefined;
    for (let page = 0; page < RESOURCE_PAGES_MAX; page++) {
      const body = {
        TenantName: mark,
        Filter: { RESOURCE_TYPE: type },
        ...(next !== undefined && { NextToken: next }),
      };
      const answer = await ask('POST', `${TENANTS}/resources/list`, { ...options, body });
      // None may be absent, but an answer without content says nothing.
      if (!isObject(answer)) throw unread('ListTenantResources');
      arns.push(...listIn(answer, 'TenantResources').flatMap((resource) => textIn(resource, 'ResourceArn') ?? []));
      next = textIn(answer, 'NextToken');
      if (next === undefined) return arns;
    }
    throw new ProviderUnreachable('ListTenantResources', `more than ${RESOURCE_PAGES_MAX} pages`);
  }

  /** Of the tenant with the domain of the address. */
  async function associationsOf({ mark, fromAddress }: MarkedSender, options?: ProviderCallOptions): Promise<string[]> {
    const arns = (await unless('gone', resourcesOf(mark, 'EMAIL_IDENTITY', options))) ?? [];
    return arns.filter((arn) => arn.endsWith(`:identity/${domainOfAddress(fromAddress)}`));
  }

  async function getIdentity(name: string, options?: ProviderCallOptions): Promise<Identity> {
    const identity = readIdentity(await ask('GET', identityPath(name), options), name, region);
    if (identity === undefined) throw unread('GetEmailIdentity');
    return identity;
  }

  const setMailFrom = (name: string, options?: ProviderCallOptions): Promise<unknown> =>
    ask('PUT', `${identityPath(name)}/mail-from`, {
      ...options,
      body: { MailFromDomain: `${MAIL_FROM_LABEL}.${name}`, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' },
    });

  const meaningOfRejection = async (
    refusal: Meaning,
    name: string,
    options?: ProviderCallOptions,
  ): Promise<Meaning> => {
    const identity = await unless('gone', getIdentity(name, options));
    if (identity?.status !== 'verified') return 'notVerified';
    const faults = accountFaults(await ask('GET', `${PATH}/account`, options), region);
    if (faults.length > 0) return 'accountBlocked';
    // The tenant or the set is missing, which the operator sees to.
    return refusal === 'gone' ? 'transient' : 'refused';
  };

  return {
    facts: {
      sendOnce: { kind: 'event', settleMs: SETTLE_MS },
      delivery: { poll: false },
      requestsPerSecond,
      // The first step: a look, the tenant, the set, its destination and the association.
      requestsOfStep: { most: 6, average: 2 },
    },

    examine: (options) => examineAccount({ ses: ask, sns: client.sns }, { region, topicArn }, options),

    accounts: {
      async open({ mark }, options) {
        const arn = await createTenant(mark, options);
        await unless('exists', open(SETS, { ConfigurationSetName: mark, Tags: tagsOf(mark) }, options));
        await setDestination(mark, options);
        // Without it, SES refuses each email that names both.
        const body = { TenantName: mark, ResourceArn: arnBeside(arn, `configuration-set/${mark}`) };
        await unless('exists', open(`${TENANTS}/resources`, body, options));
        return { id: mark };
      },
      async find({ mark }, options) {
        const tenant = await getTenant(mark, options);
        if (tenant?.mark !== mark) return undefined;
        const set = await unless('gone', ask('GET', `${SETS}/${mark}/event-destinations`, options));
        if (!listIn(set, 'EventDestinations').some(isOurs)) return undefined;
        const associated = await resourcesOf(mark, 'CONFIGURATION_SET', options);
        return associated.includes(arnBeside(tenant.arn, `configuration-set/${mark}`)) ? { id: mark } : undefined;
      },
      async close({ mark }, options) {
        // Drops its associations, without which the set can be deleted.
        const tenant = ask('POST', `${TENANTS}/delete`, { ...options, body: { TenantName: mark } });
        const hadTenant = await isDone('gone', tenant);
        const hadSet = await isDone('gone', ask('DELETE', `${SETS}/${mark}`, options));
        return { id: hadTenant || hadSet ? mark : null };
      },
    },

    accountWebhooks: topicSubscriptions(client.sns, topicArn),

    async createDomain({ name, mark }, options) {
      const body = { EmailIdentity: name, Tags: tagsOf(mark), ConfigurationSetName: mark };
      const created = readIdentity(await ask('POST', IDENTITIES, { ...options, body }), name, region);
      if (created === undefined)
        throw new ProviderError('CreateEmailIdentity', {
          ...{ meaning: 'unread', mayHaveActed: true, httpStatus: 200, code: 'unreadable' },
          detail: 'a success without DKIM tokens and their zone',
        });
      try {
        await setMailFrom(name, options);
      } catch (error) {
        // The identity exists all the same. Its next check sets the MAIL FROM domain.
        throw new ProviderError('CreateEmailIdentity', {
          ...{ meaning: 'transient', mayHaveActed: true, httpStatus: 200, code: 'mail_from_not_set' },
          detail: error instanceof Error ? error.message : String(error),
          retryAfterMs: error instanceof ProviderError ? error.retryAfterMs : undefined,
        });
      }
      return { ...created, status: 'pending', mark };
    },
    findDomain: (name, options) => unless('gone', getIdentity(name, options)),
    getDomain: getIdentity,
    /** SES looks by itself; what it has given up starts again. */
    async requestVerification(name, options) {
      const { restarts } = await getIdentity(name, options);
      if (restarts.includes('mailFrom')) await setMailFrom(name, options);
      if (restarts.includes('dkim'))
        await ask('PUT', `${identityPath(name)}/dkim/signing`, {
          ...options,
          body: { SigningAttributesOrigin: 'AWS_SES' },
        });
      return undefined;
    },
    async deleteDomain(name, options) {
      await ask('DELETE', identityPath(name), options);
    },

    /** The association of the identity with the SES tenant. */
    async createSender({ domainId: name, mark }, options) {
      const identity = await unless('gone', getIdentity(name, options));
      if (identity?.status !== 'verified')
        throw new ProviderError('CreateTenantResourceAssociation', {
          ...{ meaning: 'notVerified', mayHaveActed: false, httpStatus: 409, code: 'not_verified' },
          detail: `SES reports ${name} as ${identity?.status ?? 'absent'}`,
        });
      const id = arnBeside(await tenantArn(mark, options), `identity/${name}`);
      const body = { TenantName: mark, ResourceArn: id };
      await unless('exists', ask('POST', `${TENANTS}/resources`, { ...options, body }));
      return { id };
    },
    async findSender(sender, options) {
      const [id] = await associationsOf(sender, options);
      return id === undefined ? undefined : { id };
    },
    async deleteSenders(sender, options) {
      const { mark } = sender;
      const arns = await associationsOf(sender, options);
      for (const arn of arns) {
        const body = { TenantName: mark, ResourceArn: arn };
        // Just listed: an earlier deletion has reached SES.
        await unless('gone', ask('POST', `${TENANTS}/resources/delete`, { ...options, body }));
      }
      return arns;
    },

    async sendEmail({ from: { address, name }, recipient, subject, body, mark, intentId }, options) {
      const domain = domainOfAddress(address);
      const email = {
        Content: {
          Simple: {
            Subject: { Data: subject, Charset: CHARSET },
            Body: { Text: { Data: body, Charset: CHARSET } },
          },
        },
        FromEmailAddress: name === undefined ? address : `${encodedName(name)} <${address}>`,
        Destination: { ToAddresses: [recipient] },
        EmailTags: [
          { Name: MARK_TAG, Value: mark },
          { Name: INTENT_TAG, Value: intentId },
        ],
        ...{ ConfigurationSetName: mark, TenantName: mark },
      };
      const answer = await client.ses('POST', `${PATH}/outbound-emails`, {
        ...(options.signal !== undefined && { signal: options.signal }),
        body: email,
        look: (refusal) => meaningOfRejection(refusal, domain, options),
      });
      const id = textIn(answer, 'MessageId');
      // Its events have the id.
      if (id === undefined) throw unread('SendEmail');
      return { id };
    },
    /** Its events alone say more. */
    getEmail: (id) => Promise.resolve({ id, status: 'accepted', deliveredAt: null, bounce: null, lastAttempt: null }),
    close: () => client.close(),
  };
}

const tagsOf = (mark: Mark): object[] => [{ Key: MARK_TAG, Value: mark }];

const identityPath = (name: string): string => `${IDENTITIES}/${encodeURIComponent(name)}`;

const unread = (call: string): ProviderUnreachable =>
  new ProviderUnreachable(call, 'a success without what the API describes');

/** Whether it succeeded; false in place of an error with this meaning. */
const isDone = async (meaning: Meaning, call: Promise<unknown>): Promise<boolean> =>
  (await unless(
    meaning,
    call.then(() => true),
  )) ?? false;

/** SES takes ASCII alone: everything else, and what would need quotes, as encoded words of at most 75 characters (RFC 2047 section 2). */
function encodedName(name: string): string {
  if (/^[A-Za-z0-9 ]+$/.test(name)) return name;
  const words = [''];
  for (const character of name) {
    const word = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(word) > 45) words.push(character);
    else words[words.length - 1] = word;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
