import { pollWhileAwaited } from '../../lib/poll-while-awaited.ts';
import type { SetupLinks } from '../../store/onboarding/setup-links.ts';

export interface PageWatch {
  /** Of the page's link. */
  readonly idHash: string;
  /** What the page shows. */
  readonly version: string;
  /** How long to wait for another version. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** `unchanged` after `waitMs`, or when aborted; `closed`: the link opens nothing any more. */
export type PageChange =
  { readonly kind: 'changed'; readonly version: string } | { readonly kind: 'unchanged' } | { readonly kind: 'closed' };

/** The changes of all pages that are open at this server. */
export interface OpenPages {
  next(watch: PageWatch): Promise<PageChange>;
  /** Ends the polling. */
  close(): void;
}

const POLL_MS = 1_000;

interface Waiting {
  readonly version: string;
  readonly end: (change: PageChange) => void;
}

/** Asks the database once a second for the versions of all pages that wait, while one does. */
export function createOpenPages(links: Pick<SetupLinks, 'versions'>, onError: (error: unknown) => void): OpenPages {
  const pages = new Map<string, Set<Waiting>>();

  async function poll(): Promise<void> {
    // Those that come during the query wait for the next one.
    const asked = [...pages].map(([idHash, waiting]) => [idHash, [...waiting]] as const);
    const versions = await links.versions(asked.map(([idHash]) => idHash));
    for (const [idHash, waiting] of asked) {
      const version = versions.get(idHash);
      for (const page of waiting) {
        if (version === undefined) page.end({ kind: 'closed' });
        else if (version !== page.version) page.end({ kind: 'changed', version });
      }
    }
  }

  const poller = pollWhileAwaited({ everyMs: POLL_MS, isAwaited: () => pages.size > 0, poll, onError });

  return {
    next: ({ idHash, version, waitMs, signal }) =>
      new Promise((resolve) => {
        const waiting = pages.get(idHash) ?? new Set();
        const end = (change: PageChange): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', unchanged);
          waiting.delete(page);
          if (waiting.size === 0 && pages.get(idHash) === waiting) pages.delete(idHash);
          resolve(change);
        };
        const unchanged = (): void => {
          end({ kind: 'unchanged' });
        };
        const page: Waiting = { version, end };
        const timer = setTimeout(unchanged, waitMs);
        signal.addEventListener('abort', unchanged);
        waiting.add(page);
        pages.set(idHash, waiting);
        if (signal.aborted) unchanged();
        else poller.start();
      }),
    close: poller.close,
  };
}
