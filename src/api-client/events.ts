import type { components, webhooks } from './openapi.ts';

// A later version of sendoff may send types that these unions do not have: a `switch` needs a `default`.

type Change = components['schemas']['Event'];
type BodyOf<Type extends keyof webhooks> = webhooks[Type]['post']['requestBody']['content']['application/json'];

/** One change, as GET /events sends it; docs/notifications.md has an example of each. Ignore a type that you do not know. */
export type SendoffEvent = {
  /** Pass it as `lastEventId` to continue after this event. */
  readonly id: string;
} & (
  | { [Of in Change as Of['type']]: { readonly type: Of['type']; readonly data: Of } }[Change['type']]
  /** The server no longer has some events after `lastEventId`; read the onboardings again. */
  | { readonly type: 'reset'; readonly data: Record<'lastEventId' | 'oldest' | 'latest', number> }
);

/** A webhook of sendoff; docs/notifications.md has an example of each. Answer 2xx to a type that you do not know. */
export type Notification = {
  /** The same in every delivery: skip one that you have processed. */
  readonly id: string;
  /** When it happened, RFC 3339 UTC. */
  readonly timestamp: string;
} & { [Type in keyof webhooks]: Pick<BodyOf<Type>, 'type' | 'data'> }[keyof webhooks];
