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
