/** The body of `PUT /onboardings/{tenantId}`. */
export const inputOf = (tenantId: string) => ({
  domain: `${tenantId}.example.com`,
  fromAddress: `hello@${tenantId}.example.com`,
  firstEmail: { recipient: 'ada@example.net', subject: 'Welcome', body: 'It works.' },
});
