import { createPolledWaits } from '../../lib/timing/poll-while-awaited.ts';
import type { SetupLinks } from '../../store/onboarding/setup-links.ts';

interface PageWatch {
  /** Hash of the ID in the page's link. */
  readonly idHash: string;
  /** The version of the record that the page shows. */
  readonly version: string;
  /** How long to wait for another version. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** `unchanged` after `waitMs`, or when aborted; `closed`: the link opens nothing any more. */
type PageChange =
  { readonly kind: 'changed'; readonly version: string } | { readonly kind: 'unchanged' } | { readonly kind: 'closed' };

export type OpenPages = ReturnType<typeof createOpenPages>;

const POLL_MS = 1_000;

interface Page extends Pick<PageWatch, 'idHash' | 'version'> {
  change: PageChange;
}

/**
 * The changes of all pages that are open at this server. Asks the database once a second for the versions of those that wait,
 * while one does.
 */
export function createOpenPages(links: Pick<SetupLinks, 'versions'>, onError: (error: unknown) => void) {
  async function poll(): Promise<readonly Page[]> {
    // Those that come during the query wait for the next one.
    const asked = pages.all();
    const versions = await links.versions([...new Set(asked.map(({ idHash }) => idHash))]);
    return asked.filter((page) => {
      const version = versions.get(page.idHash);
      if (version === page.version) return false;
      page.change = version === undefined ? { kind: 'closed' } : { kind: 'changed', version };
      return true;
    });
  }

  const pages = createPolledWaits<Page>({ everyMs: POLL_MS, poll, onError });

  return {
    async next({ idHash, version, waitMs, signal }: PageWatch): Promise<PageChange> {
      const page: Page = { idHash, version, change: { kind: 'unchanged' } };
      await pages.wait(page, waitMs, signal);
      return page.change;
    },
    /** Ends the polling. */
    close: pages.close,
  };
}
