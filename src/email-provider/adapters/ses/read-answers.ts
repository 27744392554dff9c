import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { fieldsIn, flagIn, itemsIn, textIn } from '../../answer-fields.ts';
import type { ProviderDomain, ProviderRecord } from '../../email-provider.ts';

export const listIn = (value: unknown, field: string): readonly unknown[] => itemsIn(value, field) ?? [];
export const parseFields = (text: string): JsonObject | undefined => {
  const content = parseJson(text);
  return isObject(content) ? content : undefined;
};

/** The tag with the mark of whom the resource was made for. */
export const MARK_TAG = 'sendoff';

export const markIn = (resource: unknown): string | undefined =>
  textIn(
    listIn(resource, 'Tags').find((tag) => textIn(tag, 'Key') === MARK_TAG),
    'Value',
  );

/** Of a tenant: `arn:aws:ses:eu-west-1:123456789012:tenant/so-…/tn-…`. */
export const arnBeside = (tenantArn: string, resource: string): string =>
  `${tenantArn.split(':').slice(0, 5).join(':')}:${resource}`;

export const MAIL_FROM_LABEL = 'send';

export interface Identity extends ProviderDomain {
  readonly mark?: string;
  readonly name: string;
  /** Which of its two checks has to be started, again or at all. */
  readonly restarts: readonly ('dkim' | 'mailFrom')[];
}

/**
 * Undefined without DKIM tokens or their zone, which a tenant could not publish.
 *
 * @param name the answers do not repeat it
 */
export function readIdentity(content: unknown, name: string, region: string): Identity | undefined {
  const dkim = fieldsIn(content, 'DkimAttributes');
  const mailFrom = fieldsIn(content, 'MailFromAttributes');
  const zone = textIn(dkim, 'SigningHostedZone');
  const tokens = listIn(dkim, 'Tokens').filter((token) => typeof token === 'string');
  if (zone === undefined || tokens.length === 0) return undefined;
  const mark = markIn(content);
  const mailFromDomain = textIn(mailFrom, 'MailFromDomain');
  const isDkimVerified = dkim['Status'] === 'SUCCESS' && flagIn(content, 'VerifiedForSendingStatus');
  const isMailFromVerified = mailFrom['MailFromDomainStatus'] === 'SUCCESS';
  const restarts = [
    ...(dkim['Status'] === 'FAILED' ? (['dkim'] as const) : []),
    ...(mailFromDomain === undefined || mailFrom['MailFromDomainStatus'] === 'FAILED' ? (['mailFrom'] as const) : []),
  ];
  return {
    ...{ id: name, name, restarts },
    ...(mark !== undefined && { mark }),
    // SES looks by itself for 72 hours, and again after a temporary failure.
    status: isDkimVerified && isMailFromVerified ? 'verified' : restarts.length > 0 ? 'failed' : 'pending',
    records: [
      ...tokens.map((token) => recordOf('dkim', 'CNAME', `${token}._domainkey.${name}`, `${token}.${zone}`)),
      ...mailFromRecords(mailFromDomain ?? `${MAIL_FROM_LABEL}.${name}`, region),
    ],
  };
}

const mailFromRecords = (name: string, region: string): ProviderRecord[] => [
  recordOf('return_path', 'MX', name, `10 feedback-smtp.${region}.amazonses.com`),
  recordOf('spf', 'TXT', name, 'v=spf1 include:amazonses.com ~all'),
];

const recordOf = (purpose: string, type: string, name: string, value: string): ProviderRecord => ({
  ...{ purpose, type, name, value: value.replace(/\.$/, '') },
  ...{ required: true, findings: [] },
});
