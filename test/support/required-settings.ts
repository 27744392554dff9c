/** All that the orchestrator requires; the rest has a default. */
export const orchestratorRequires = {
  SENDOFF_API_TOKEN: 'a-token-of-more-than-24-characters',
  SENDOFF_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
};

/** All that the email service requires. */
export const emailServiceRequires = {
  EMAIL_SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 2).toString('base64'),
  EMAIL_SERVICE_HOSTNAME: 'mail.service.test',
  EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
};
