// The subscriptions of the operator's SNS topic, through which SES reaches sendoff.
import type { AccountWebhook, AccountWebhooks } from '../../operator-account.ts';
import { ProviderUnreachable } from '../../provider-error.ts';
import { elementsIn, type SesClient, xmlText } from './ses-client.ts';

/** In place of an ARN, until a server has confirmed it. */
const PENDING = 'PendingConfirmation';
/** 10,000 subscriptions. */
const PAGES_MAX = 100;

export const topicSubscriptions = (sns: SesClient['sns'], topicArn: string): AccountWebhooks => ({
  async list(options) {
    const found: AccountWebhook[] = [];
    let next: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const parameters = { TopicArn: topicArn, ...(next !== undefined && { NextToken: next }) };
      const xml = await sns('ListSubscriptionsByTopic', parameters, options);
      found.push(...elementsIn(xml, 'member').flatMap(readSubscription));
      next = xmlText(xml, 'NextToken');
      if (next === undefined) return found;
    }
    throw new ProviderUnreachable('SNS ListSubscriptionsByTopic', `more than ${PAGES_MAX} pages`);
  },
  async create(url, options) {
    const parameters = { TopicArn: topicArn, Protocol: new URL(url).protocol.slice(0, -1), Endpoint: url };
    await sns('Subscribe', parameters, options);
    return {};
  },
  async delete(id, options) {
    await sns('Unsubscribe', { SubscriptionArn: id }, options);
  },
});

function readSubscription(xml: string): AccountWebhook[] {
  const [id, url] = [xmlText(xml, 'SubscriptionArn'), xmlText(xml, 'Endpoint')];
  return id === undefined || url === undefined ? [] : [{ id, url, ...(id === PENDING && { isPending: true }) }];
}
