// The tenants, configuration sets and identities of the simulated SES.
import { randomUUID } from 'node:crypto';
import { worldZones } from '../../dev/world/world-zones.ts';
import type { ZoneRecord } from '../../dev/world/zone-record.ts';
import { ACCOUNT, REGION } from './fake-sns.ts';
import { type Body, ok, on, type Reply, type Route } from './serve-fake.ts';

export interface Tag {
  readonly Key: string;
  readonly Value: string;
}
export interface FakeIdentity {
  readonly tags: readonly Tag[];
  readonly configurationSet: string | undefined;
  readonly tokens: readonly string[];
  dkim: string;
  mailFrom?: { readonly domain: string; status: string };
}

export interface FakeState {
  readonly tenants: Map<string, { readonly tags: readonly Tag[]; readonly resources: Set<string> }>;
  /** Each with its event destinations. */
  readonly sets: Map<string, Map<string, Body>>;
  readonly identities: Map<string, FakeIdentity>;
}
export interface ResourceRules {
  /** Whether a check of the DNS finds the records. */
  isPublished: (domain: string) => boolean;
  /** The attributes that GetTopicAttributes returns. */
  topic: Readonly<Record<string, string>>;
}
export type SesRoute = Route<{ name: string; part: string; body: Body }>;

const DKIM_ZONE = 'b1.dkim.eu-west-1.ses-email.example';

/** Their requests, without the prefix of the path. */
export function resourceRoutes({ tenants, sets, identities }: FakeState, rules: ResourceRules): SesRoute[] {
  const exists = (arn: string): boolean => {
    const [kind = '', name = ''] = (arn.split(':').at(-1) ?? '').split('/');
    return arn === arnOf(`${kind}/${name}`) && (kind === 'identity' ? identities : sets).has(name);
  };
  const isAssociated = (arn: string): boolean => [...tenants.values()].some(({ resources }) => resources.has(arn));

  const shown = (identity: FakeIdentity): object => ({
    IdentityType: 'DOMAIN',
    VerifiedForSendingStatus: identity.dkim === 'SUCCESS',
    VerificationStatus: identity.dkim,
    DkimAttributes: {
      ...{ SigningEnabled: true, Status: identity.dkim, Tokens: identity.tokens, SigningHostedZone: DKIM_ZONE },
      SigningAttributesOrigin: 'AWS_SES',
    },
    MailFromAttributes: identity.mailFrom && {
      MailFromDomain: identity.mailFrom.domain,
      MailFromDomainStatus: identity.mailFrom.status,
      BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
    },
    ...{ Tags: identity.tags, ConfigurationSetName: identity.configurationSet, FeedbackForwardingStatus: true },
  });
  const tenantShown = (name: string, tags: readonly Tag[]): object => ({
    ...{ TenantName: name, TenantId: 'tn-1', TenantArn: arnOf(`tenant/${name}/tn-1`), CreatedTimestamp: 1_790_000_000 },
    ...{ Tags: tags, SendingStatus: 'ENABLED' },
  });

  return [
    on(/^POST \/tenants$/, ({ body }) => {
      const { TenantName: name, Tags: tags } = body as { TenantName: string; Tags: Tag[] };
      if (tenants.has(name)) return refused('AlreadyExistsException', `Tenant ${name} already exists.`);
      tenants.set(name, { tags, resources: new Set() });
      return ok(tenantShown(name, tags));
    }),
    on(/^POST \/tenants\/get$/, ({ body }) => {
      const name = String(body['TenantName']);
      const tenant = tenants.get(name);
      return tenant === undefined ? notFound(`Tenant ${name}`) : ok({ Tenant: tenantShown(name, tenant.tags) });
    }),
    on(/^POST \/tenants\/delete$/, ({ body }) =>
      tenants.delete(String(body['TenantName'])) ? ok({}) : notFound('Tenant'),
    ),
    on(/^POST \/tenants\/resources$/, ({ body }) => {
      const arn = String(body['ResourceArn']);
      const tenant = tenants.get(String(body['TenantName']));
      if (tenant === undefined || !exists(arn)) return notFound(tenant === undefined ? 'Tenant' : arn);
      if (tenant.resources.has(arn)) return refused('AlreadyExistsException', 'The association already exists.');
      tenant.resources.add(arn);
      return ok({});
    }),
    on(/^POST \/tenants\/resources\/delete$/, ({ body }) =>
      tenants.get(String(body['TenantName']))?.resources.delete(String(body['ResourceArn']))
        ? ok({})
        : notFound('Association'),
    ),
    on(/^POST \/tenants\/resources\/list$/, ({ body }) => {
      const tenant = tenants.get(String(body['TenantName']));
      if (tenant === undefined) return notFound('Tenant');
      const kinds: Readonly<Record<string, string>> = {
        identity: 'EMAIL_IDENTITY',
        'configuration-set': 'CONFIGURATION_SET',
      };
      const all = [...tenant.resources].map((arn) => ({
        ResourceType: kinds[(arn.split(':').at(-1) ?? '').split('/')[0] ?? ''],
        ResourceArn: arn,
      }));
      const { RESOURCE_TYPE: type } = body['Filter'] as { RESOURCE_TYPE: string };
      // Pages of one, so that a client that reads only the first is found out.
      const found = all.filter(({ ResourceType }) => ResourceType === type);
      const at = Number(body['NextToken'] ?? 0);
      return ok({
        TenantResources: found.slice(at, at + 1),
        ...(at + 1 < found.length && { NextToken: String(at + 1) }),
      });
    }),
    on(/^POST \/configuration-sets$/, ({ body }) => {
      const name = String(body['ConfigurationSetName']);
      if (sets.has(name)) return refused('AlreadyExistsException', `Configuration set ${name} already exists.`);
      sets.set(name, new Map());
      return ok({});
    }),
    on(/^DELETE \/configuration-sets\/[^/]+$/, ({ name }) => {
      if (isAssociated(arnOf(`configuration-set/${name}`)))
        return refused('BadRequestException', 'The configuration set is associated with a tenant.');
      return sets.delete(name) ? ok({}) : notFound('Configuration set');
    }),
    on(/^POST \/configuration-sets\/[^/]+\/event-destinations$/, ({ name, body }) => {
      const destinations = sets.get(name);
      const { EventDestinationName: destination, EventDestination: definition } = body as {
        EventDestinationName: string;
        EventDestination: { SnsDestination: { TopicArn: string } };
      };
      if (destinations === undefined) return notFound('Configuration set');
      if (destinations.has(destination)) return refused('AlreadyExistsException', 'The event destination exists.');
      if (definition.SnsDestination.TopicArn !== rules.topic['TopicArn'])
        return refused('BadRequestException', 'SES cannot publish to the topic.');
      destinations.set(destination, { ...definition });
      return ok({});
    }),
    on(/^PUT \/configuration-sets\/[^/]+\/event-destinations\/[^/]+$/, ({ name, part, body }) => {
      if (sets.get(name)?.has(part) !== true) return notFound('Event destination');
      sets.get(name)?.set(part, body['EventDestination'] as Body);
      return ok({});
    }),
    on(/^GET \/configuration-sets\/[^/]+\/event-destinations$/, ({ name }) => {
      const destinations = sets.get(name);
      if (destinations === undefined) return notFound('Configuration set');
      return ok({ EventDestinations: [...destinations].map(([Name, definition]) => ({ Name, ...definition })) });
    }),
    on(/^POST \/identities$/, ({ body }) => {
      const {
        EmailIdentity: name,
        Tags: tags,
        ConfigurationSetName: set,
      } = body as { EmailIdentity: string; Tags: Tag[]; ConfigurationSetName?: string };
      if (identities.has(name)) return refused('AlreadyExistsException', `Email identity ${name} already exist.`);
      if (set !== undefined && !sets.has(set)) return notFound('Configuration set');
      const tokens = ['a', 'b', 'c'].map((letter) => `${letter}${randomUUID().replaceAll('-', '').slice(0, 31)}`);
      const identity: FakeIdentity = { tags, configurationSet: set, tokens, dkim: 'PENDING' };
      identities.set(name, identity);
      const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = shown(identity) as Body;
      return ok({ IdentityType, VerifiedForSendingStatus, DkimAttributes });
    }),
    on(/^GET \/identities\/[^/]+$/, ({ name }) => {
      const identity = identities.get(name);
      if (identity === undefined) return notFound(`Email identity ${name}`);
      if (rules.isPublished(name)) {
        if (identity.dkim === 'PENDING') identity.dkim = 'SUCCESS';
        if (identity.mailFrom?.status === 'PENDING') identity.mailFrom.status = 'SUCCESS';
      }
      return ok(shown(identity));
    }),
    on(/^DELETE \/identities\/[^/]+$/, ({ name }) => {
      if (isAssociated(arnOf(`identity/${name}`)))
        return refused('BadRequestException', 'The email identity is associated with a tenant.');
      return identities.delete(name) ? ok({}) : notFound(`Email identity ${name}`);
    }),
    on(/^PUT \/identities\/[^/]+\/mail-from$/, ({ name, body }) => {
      const identity = identities.get(name);
      if (identity === undefined) return notFound(`Email identity ${name}`);
      identity.mailFrom = { domain: String(body['MailFromDomain']), status: 'PENDING' };
      return ok({});
    }),
    on(/^PUT \/identities\/[^/]+\/dkim\/signing$/, ({ name }) => {
      const identity = identities.get(name);
      if (identity === undefined) return notFound(`Email identity ${name}`);
      identity.dkim = 'PENDING';
      return ok({ DkimStatus: 'PENDING', DkimTokens: identity.tokens, SigningHostedZone: DKIM_ZONE });
    }),
  ];
}

/** What the records of its tenants refer to, and those of Resend's, which sends through SES. */
export const amazonZones = (region: string): readonly ZoneRecord[] => [
  ...worldZones({ tenant: 'amazonses.com', recipient: 'amazonses.com' }),
  { name: 'amazonses.com', type: 'TXT', value: 'v=spf1 ip4:199.255.192.0/22 -all' },
  { name: `feedback-smtp.${region}.amazonses.com`, type: 'A', value: '127.0.0.1' },
];

export const arnOf = (resource: string): string => `arn:aws:ses:${REGION}:${ACCOUNT}:${resource}`;

export const refused = (name: string, message: string): Reply => ({
  ...{ status: 400, body: { message } },
  headers: { 'x-amzn-errortype': name },
});
export const notFound = (what: string): Reply => ({
  ...{ status: 404, body: { message: `${what} does not exist.` } },
  headers: { 'x-amzn-errortype': 'NotFoundException' },
});
