// Leaf library: how long a client may take, for both HTTP programs.

/** A megabyte on a slow line arrives in this time; a connection that trickles is not held open longer. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node looks for connections that are over their time. */
const CHECKED_EVERY_MS = 5_000;

/** Options for Fastify. */
export const httpLimits = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  http: {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
  },
} as const;
