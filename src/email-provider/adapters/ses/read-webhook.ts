import type { WebhookReader } from '../../../onboarding/provider-event.ts';
import { exchange, isSuccess, newAgent } from '../../http-exchange.ts';
import { ProviderError } from '../../provider-error.ts';
import { readSesEvent } from './read-event.ts';
import { snsUrl } from './ses-client.ts';
import { createSnsReader, type SnsTopic } from './sns-message.ts';

export interface SesWebhookSettings extends Omit<SnsTopic, 'fetchFile'> {
  /** Replaces the endpoint of SNS in the region; without a slash at its end. */
  readonly baseUrl?: string | undefined;
}

/** Reads what the operator's topic posts, and confirms its subscription to sendoff. Needs no credential. */
export function createSesWebhookReader({ baseUrl, ...topic }: SesWebhookSettings): WebhookReader {
  const { topicArn, region } = topic;
  const agent = newAgent();

  /** What SNS serves to everyone. */
  async function fetchFile(path: string): Promise<string> {
    const name = `GET ${new URL(path, snsUrl(region)).pathname} of SNS`;
    const call = { agent, url: (baseUrl ?? snsUrl(region)) + path, method: 'GET', headers: {} } as const;
    const answer = await exchange(name, { ...call, credential: undefined, urlSetting: 'SES_URL' });
    if (isSuccess(answer)) return answer.text;
    const { httpStatus } = answer;
    throw new ProviderError(name, { meaning: 'transient', mayHaveActed: false, httpStatus });
  }

  const readMessage = createSnsReader({ ...topic, fetchFile });
  return async ({ body }) => {
    const read = await readMessage(body);
    if (read === undefined) return undefined;
    const { type, id, message, token = '' } = read;
    if (type === 'SubscriptionConfirmation') {
      // The message has a URL for this, which is not believed.
      const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token });
      await fetchFile(`/?${query.toString()}`);
    }
    const event = type === 'Notification' ? readSesEvent(id, message) : undefined;
    return event === undefined ? [] : [event];
  };
}
