import { ProducerViewSchema } from './producers.ts';
import { CheckInputSchema, CheckViewSchema } from './agents-md.ts';
import { DomainWatchSchema } from './domain-watch.ts';
import { eventSchemas } from './events.ts';
import { NotificationViewSchema } from './notifications.ts';
import { OnboardingViewSchema } from './onboarding.ts';

/** The schemas that routes refer to by name. */
export const sharedSchemas = [
  ...[
    OnboardingViewSchema,
    DomainWatchSchema,
    NotificationViewSchema,
    CheckInputSchema,
    CheckViewSchema,
    ProducerViewSchema,
  ].map(({ schema }) => schema),
  ...eventSchemas,
];
