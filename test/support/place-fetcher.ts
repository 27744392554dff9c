import type { HostUrls } from '../../src/agents-md/code-host.ts';
import type { SharedPause, SharedPauses } from '../../src/agents-md/shared-pauses.ts';
import { createPlaceFetcher, type PlaceFetcher, type PlaceRequest } from '../../src/code-host/fetch-place.ts';

export function memorySharedPauses(): SharedPauses {
  const pauses = new Map<string, SharedPause>();
  return {
    get: async (origin) => pauses.get(origin),
    async put(origin, pause) {
      if (pause.untilMs > (pauses.get(origin)?.untilMs ?? 0)) pauses.set(origin, pause);
    },
  };
}

/** Asks a server on loopback as github.com. */
export const fetcherOf = (
  urls: HostUrls,
  options: Partial<Parameters<typeof createPlaceFetcher>[0]> = {},
): PlaceFetcher =>
  createPlaceFetcher({
    ...{ sharedPauses: memorySharedPauses(), contact: 'ops@example.com', urls: { 'github.com': urls } },
    ...options,
  });

/** The first look at the AGENTS.md of a primary repository. */
export const firstLook = (repository = 'acme', organization = 'acme'): PlaceRequest => ({
  ...{ host: 'github.com', look: 'first', stored: null, hopsMax: 3 },
  place: { in: 'primary', organization, repository, path: 'AGENTS.md' },
});
