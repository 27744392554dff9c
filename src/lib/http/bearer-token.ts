/** The token of an Authorization header (RFC 6750 section 2.1); empty without one. */
export const bearerToken = (authorization: string | undefined): string =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
