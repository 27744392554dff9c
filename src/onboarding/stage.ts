export const Stage = {
  issuingKey: 'issuingKey',
  registeringWebhook: 'registeringWebhook',
  registeringDomain: 'registeringDomain',
  awaitingDomain: 'awaitingDomain',
  creatingSender: 'creatingSender',
  sendingFirstEmail: 'sendingFirstEmail',
  awaitingDelivery: 'awaitingDelivery',
  undoing: 'undoing',
  done: 'done',
} as const;
export type Stage = (typeof Stage)[keyof typeof Stage];

/** The stages in which an onboarding waits for the tenant's DNS or the receiver; in the others a step runs, or it ends. */
export const waitStages: readonly Stage[] = [Stage.awaitingDomain, Stage.awaitingDelivery];
