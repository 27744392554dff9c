import { BatchViewSchema, CheckInputSchema, CheckViewSchema, ScheduleViewSchema } from './agents-md.ts';
import { NotificationViewSchema } from './notifications.ts';
import { OnboardingViewSchema } from './onboarding.ts';

/** The schemas that routes refer to by name. */
export const sharedSchemas = [
  OnboardingViewSchema,
  NotificationViewSchema,
  CheckInputSchema,
  CheckViewSchema,
  ScheduleViewSchema,
  BatchViewSchema,
].map(({ schema }) => schema);
