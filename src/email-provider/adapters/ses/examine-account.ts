// Why no tenant could be onboarded with the settings: found at the start of a Worker and by `sendoff doctor`, before anything is created.
import type { ProviderCallOptions } from '../../email-provider.ts';
import type { AccountProblem } from '../../operator-account.ts';
import { flagIn, textIn } from '../../answer-fields.ts';
import { ProviderError } from '../../provider-error.ts';
import type { SesClient } from './ses-client.ts';
import { signatureRemedy } from './sns-message.ts';

interface Place {
  readonly region: string;
  readonly topicArn: string;
}

export async function examineAccount(
  { ses, sns }: Pick<SesClient, 'ses' | 'sns'>,
  { region, topicArn }: Place,
  options?: ProviderCallOptions,
): Promise<readonly AccountProblem[]> {
  let faults: AccountProblem[];
  try {
    faults = accountFaults(await ses('GET', '/v2/email/account', options), region);
  } catch (error) {
    return [
      problemOf(error, {
        credential: `SES refuses SES_ACCESS_KEY_ID. Set it, SES_SECRET_ACCESS_KEY and, of temporary credentials, SES_SESSION_TOKEN to a key that is active in ${region}`,
        access: 'SES_ACCESS_KEY_ID has no permission ses:GetAccount. Give it those that docs/providers.md lists',
      }),
    ];
  }
  try {
    return [...faults, ...topicFaults(await sns('GetTopicAttributes', { TopicArn: topicArn }, options), topicArn)];
  } catch (error) {
    const problem = problemOf(error, {
      gone: `SES_TOPIC_ARN names no topic in ${region}. Create it: aws sns create-topic --name ${topicArn.split(':').at(-1) ?? ''} --attributes SignatureVersion=2 --region ${region}`,
      access:
        'SES_ACCESS_KEY_ID may not read SES_TOPIC_ARN: the topic is in another account, or the key has no permission sns:GetTopicAttributes. Set the ARN of a topic in the account of the key, or give it that permission',
    });
    return [...faults, problem];
  }
}

/** Throws the error unless one of the remedies fits. */
function problemOf(
  error: unknown,
  remedies: Readonly<Partial<Record<'credential' | 'access' | 'gone', string>>>,
): AccountProblem {
  if (!(error instanceof ProviderError)) throw error;
  const remedy = error.meaning === 'gone' ? remedies.gone : error.denies && remedies[error.denies];
  if (remedy === undefined) throw error;
  return { code: error.code, remedy };
}

export function accountFaults(content: unknown, region: string): AccountProblem[] {
  const faults: AccountProblem[] = [];
  if (textIn(content, 'EnforcementStatus') === 'SHUTDOWN')
    faults.push({
      ...{ code: 'account_suspended', passes: true },
      remedy: `Amazon has stopped the sending of this account in ${region}. Answer its case in the SES console`,
    });
  else if (!flagIn(content, 'SendingEnabled'))
    faults.push({
      ...{ code: 'sending_paused', passes: true },
      remedy: `Sending is paused for this account in ${region}. Let it go on: aws sesv2 put-account-sending-attributes --sending-enabled --region ${region}`,
    });
  if (!flagIn(content, 'ProductionAccessEnabled'))
    faults.push({
      code: 'sandbox',
      remedy: `This account is in the SES sandbox in ${region}, where it sends to verified addresses alone. Request production access in the SES console, or set SES_REGION to the region that has it`,
    });
  return faults;
}

function topicFaults(xml: string, topicArn: string): AccountProblem[] {
  const attribute = (key: string) => new RegExp(`<key>${key}</key>\\s*<value>([^<]*)</value>`).exec(xml)?.[1];
  const faults: AccountProblem[] = [];
  if (attribute('SignatureVersion') !== '2')
    faults.push({
      code: 'signature_version',
      remedy: `SES_TOPIC_ARN signs with version 1, which sendoff refuses. ${signatureRemedy(topicArn)}`,
    });
  if (!(Number(attribute('SubscriptionsConfirmed')) > 0))
    faults.push({
      ...{ code: 'topic_not_subscribed', passes: true },
      remedy: `SES_TOPIC_ARN has no confirmed subscription, so that no delivery can be confirmed. Start the server, and subscribe it: sendoff setup --provider ses --apply`,
    });
  return faults;
}
