import type { PostmarkSettings } from './email-provider/adapters/postmark/postmark-account.ts';
import type { ResendSettings } from './email-provider/adapters/resend/resend-account.ts';
import type { SesAccountSettings } from './email-provider/adapters/ses/ses-account.ts';
import { firstApiToken } from './lib/api-tokens.ts';
import { signingSecrets } from './lib/webhooks/signing-secrets.ts';
import { EMBEDDED, isProviderName, type ProviderName, providerNames } from './onboarding/provider-name.ts';
import {
  type Environment,
  httpUrl,
  SettingsError,
  settingText,
  type SettingsOf,
  type SettingsTable,
  text,
  wholeNumber,
} from './lib/settings.ts';

/** Requests with it are refused, and repeated until the credential is set. */
const UNSET = 'unset';

/** Of the providers at which all tenants send through the operator's account. */
export const accountSettings = {
  RESEND_API_KEY: {
    meaning:
      'API key of the Resend account through which all tenants send, with full access; required with EMAIL_PROVIDER=resend, and needed while onboardings run there (docs/providers.md).',
    example: 're_…',
    optional: true,
    secret: true,
    parse: text,
  },
  RESEND_URL: {
    meaning: "Base URL of Resend's API.",
    example: 'https://api.resend.com',
    fallback: 'https://api.resend.com',
    parse: httpUrl,
  },
  RESEND_REQUESTS_PER_SECOND: {
    meaning: 'Requests per second that Resend allows the account, with all its keys.',
    example: '5',
    fallback: '2',
    parse: wholeNumber(1, 1_000),
  },
  RESEND_WEBHOOK_SECRET: {
    meaning:
      "Signing secret of the Resend team's webhook to SENDOFF_PUBLIC_URL/webhooks/provider/resend; if unset, its webhooks are refused and waits rely on polling. To rotate it, list the new and the old one, separated by a comma.",
    example: 'whsec_…',
    optional: true,
    secret: true,
    parse: signingSecrets,
  },
  POSTMARK_ACCOUNT_TOKEN: {
    meaning:
      'Account token of the Postmark account through which all tenants send, not the token of a server; required with EMAIL_PROVIDER=postmark, and needed while onboardings run there (docs/providers.md).',
    example: '00000000-0000-0000-0000-000000000000',
    optional: true,
    secret: true,
    parse: text,
  },
  POSTMARK_URL: {
    meaning: "Base URL of Postmark's API.",
    example: 'https://api.postmarkapp.com',
    fallback: 'https://api.postmarkapp.com',
    parse: httpUrl,
  },
  POSTMARK_REQUESTS_PER_SECOND: {
    meaning: 'Requests per second to Postmark, which publishes no limit.',
    example: '10',
    fallback: '5',
    parse: wholeNumber(1, 1_000),
  },
  SES_REGION: {
    meaning:
      'AWS region of the Amazon SES account through which all tenants send; required with EMAIL_PROVIDER=ses, as are SES_ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY and SES_TOPIC_ARN.',
    example: 'eu-west-1',
    optional: true,
    parse: awsRegion,
  },
  SES_ACCESS_KEY_ID: {
    meaning: 'Access key of that account, with the permissions that docs/providers.md lists.',
    example: 'AKIA…',
    optional: true,
    secret: true,
    parse: text,
  },
  SES_SECRET_ACCESS_KEY: {
    meaning: 'The secret part of that key.',
    example: 'the value that AWS showed with the key',
    optional: true,
    secret: true,
    parse: text,
  },
  SES_SESSION_TOKEN: {
    meaning: 'Session token, of temporary credentials alone.',
    example: 'the value that AWS gave with the key',
    optional: true,
    secret: true,
    parse: text,
  },
  SES_TOPIC_ARN: {
    meaning:
      'ARN of the standard SNS topic, in the same account and region, to which SES publishes what became of each email, and which posts it to SENDOFF_PUBLIC_URL/webhooks/provider/ses.',
    example: 'arn:aws:sns:eu-west-1:123456789012:sendoff',
    optional: true,
    parse: topicArn,
  },
  SES_URL: {
    meaning: "Base URL that replaces the region's endpoints of SES and SNS; for tests.",
    example: 'http://127.0.0.1:8090',
    optional: true,
    parse: httpUrl,
  },
  SES_REQUESTS_PER_SECOND: {
    meaning: 'Requests per second that SES allows the account, other than those that send.',
    example: '1',
    fallback: '1',
    parse: wholeNumber(1, 1_000),
  },
} as const satisfies SettingsTable;

export const providerSettings = {
  EMAIL_PROVIDER: {
    meaning:
      'The provider of new onboardings: `sendoff`, the embedded email service or another with its API, `resend`, `postmark`, or `ses`. A running onboarding stays at the provider that it began with.',
    example: 'resend',
    fallback: EMBEDDED,
    parse: providerName,
  },
  ...accountSettings,
  EMAIL_PROVIDER_URL: {
    meaning: 'Base URL of the embedded email service, or of another with its API.',
    example: 'https://api.mail.example.com',
    fallback: 'http://127.0.0.1:8025',
    parse: httpUrl,
  },
  EMAIL_PROVIDER_OPERATOR_TOKEN: {
    meaning:
      'Credential that can create API keys for tenants at the embedded email service, or another with its API; with another EMAIL_PROVIDER, needed while onboardings run there. Of several with names, as EMAIL_SERVICE_OPERATOR_TOKEN takes them, the first is sent.',
    example: 'the value of EMAIL_SERVICE_OPERATOR_TOKEN',
    secret: true,
    parse: firstApiToken,
  },
} as const satisfies SettingsTable;

/** The settings that EMAIL_PROVIDER requires of each provider; the first names its credential. */
export const requiredSettings = {
  resend: ['RESEND_API_KEY'],
  postmark: ['POSTMARK_ACCOUNT_TOKEN'],
  ses: ['SES_ACCESS_KEY_ID', 'SES_SECRET_ACCESS_KEY', 'SES_REGION', 'SES_TOPIC_ARN'],
} as const satisfies Record<ProviderName, readonly (keyof typeof accountSettings)[]>;

export interface AccountConfigs {
  readonly resend?: ResendSettings;
  readonly postmark?: PostmarkSettings;
  readonly ses?: SesAccountSettings;
}

type AccountSettings = SettingsOf<typeof accountSettings>;

/** Those with a credential: onboardings at another one stand still. */
export function accountConfigs(settings: AccountSettings): AccountConfigs {
  const { RESEND_API_KEY: apiKey, POSTMARK_ACCOUNT_TOKEN: accountToken } = settings;
  const ses = sesConfig(settings);
  return {
    ...(apiKey !== undefined && {
      resend: { apiKey, baseUrl: settings.RESEND_URL, requestsPerSecond: settings.RESEND_REQUESTS_PER_SECOND },
    }),
    ...(accountToken !== undefined && {
      postmark: {
        accountToken,
        baseUrl: settings.POSTMARK_URL,
        requestsPerSecond: settings.POSTMARK_REQUESTS_PER_SECOND,
      },
    }),
    ...(ses && { ses }),
  };
}

export const providersWith = (settings: AccountSettings): readonly ProviderName[] =>
  Object.keys(accountConfigs(settings)) as ProviderName[];

/** Throws SettingsError if two settings contradict each other. */
function sesConfig({
  SES_REGION: region,
  SES_ACCESS_KEY_ID: accessKeyId,
  SES_SECRET_ACCESS_KEY: secretAccessKey,
  SES_SESSION_TOKEN: sessionToken,
  SES_TOPIC_ARN: topicArn,
  SES_URL: baseUrl,
  SES_REQUESTS_PER_SECOND: requestsPerSecond,
}: AccountSettings): AccountConfigs['ses'] {
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined || topicArn === undefined)
    return undefined;
  const [, , , topicRegion] = topicArn.split(':');
  if (topicRegion !== region)
    throw new SettingsError(
      `SES_TOPIC_ARN is in ${topicRegion}, and SES_REGION is ${region}: SES publishes to topics of its own region. Set both to the same region.`,
    );
  if (accessKeyId.startsWith('ASIA') && sessionToken === undefined)
    throw new SettingsError('SES_SESSION_TOKEN is not set, and SES_ACCESS_KEY_ID is of temporary credentials. Set it.');
  return { region, accessKeyId, secretAccessKey, sessionToken, topicArn, baseUrl, requestsPerSecond };
}

/** What EMAIL_PROVIDER needs is required, what the others need is not. */
export function requiredFor(environment: Environment): SettingsTable {
  const provider = settingText('EMAIL_PROVIDER', {}, environment) ?? EMBEDDED;
  if (!isProviderName(provider)) return {};
  const required = requiredSettings[provider].map((name) => {
    const { optional: _, ...setting } = accountSettings[name];
    return [name, setting] as const;
  });
  return {
    EMAIL_PROVIDER_OPERATOR_TOKEN: { ...providerSettings.EMAIL_PROVIDER_OPERATOR_TOKEN, fallback: UNSET },
    ...Object.fromEntries(required),
  };
}

function awsRegion(value: string): string {
  if (!/^[a-z]{2}(?:-[a-z]{2,20}){1,3}-\d{1,2}$/.test(value)) throw new Error('the name of an AWS region');
  return value;
}

function topicArn(value: string): string {
  if (!/^arn:aws(?:-[a-z]{2,10}){0,3}:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/.test(value))
    throw new Error('the ARN of a standard SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME');
  return value;
}

/** Undefined: the embedded email service, or another with its API. */
function providerName(value: string): ProviderName | undefined {
  if (value === EMBEDDED) return undefined;
  if (!isProviderName(value)) throw new Error(`one of ${[EMBEDDED, ...providerNames].join(', ')}`);
  return value;
}
