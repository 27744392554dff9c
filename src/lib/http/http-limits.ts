/** Enough for a megabyte on a slow line; a connection that trickles bytes is closed. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node closes connections that exceed a limit. */
const CHECKED_EVERY_MS = 5_000;

/** Fastify options. */
export const httpLimits = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  http: {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
  },
} as const;
