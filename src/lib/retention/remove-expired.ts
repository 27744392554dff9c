// Removes what is past its retention a page of rows at a time, so that no lock is held longer than a page takes.

/** Milliseconds of work, for which SQLite blocks the event loop and its other writers. */
const PAGE_ROWS = 100;

/** The sort key of the last row of a page. */
export type PagePosition = readonly (string | number)[];

export interface PageToRemove {
  /** RFC 3339 UTC: rows of an earlier time are past their retention. */
  readonly before: string;
  /** Undefined for the first page. */
  readonly after: PagePosition | undefined;
  readonly limit: number;
}

export interface RemovedPage {
  /** Rows of the page that may not leave yet are not counted. */
  readonly removed: number;
  /** Undefined after the last page. */
  readonly next: PagePosition | undefined;
}
export interface Expiring {
  /** As the report names it, such as `emails`. */
  readonly kind: string;
  /** Undefined: for ever. */
  readonly keepMs: number | undefined;
  readonly removePage: (page: PageToRemove) => Promise<RemovedPage>;
}
export type RetentionReport = Readonly<Record<string, number>>;

/** JSON, from which another attempt continues. */
export interface RetentionProgress {
  readonly kind: string;
  readonly after: PagePosition | null;
  readonly removed: RetentionReport;
}

export interface RemoveExpiredOptions {
  readonly now: Date;
  /** Progress of the previous attempt; undefined for the first. */
  readonly progress: RetentionProgress | undefined;
  /** Awaited after each page. What it throws ends the removal. @param tookMs the page */
  readonly onPage: (progress: RetentionProgress, tookMs: number) => Promise<void>;
}

/** Removes the kinds in their order: rows that others refer to come after them. */
export async function removeExpired(
  kinds: readonly Expiring[],
  { now, progress, onPage }: RemoveExpiredOptions,
): Promise<RetentionReport> {
  const removed: Record<string, number> = { ...progress?.removed };
  const begun = kinds.findIndex(({ kind }) => kind === progress?.kind);
  for (const { kind, keepMs, removePage } of kinds.slice(Math.max(begun, 0))) {
    if (keepMs === undefined) continue;
    const before = new Date(now.getTime() - keepMs).toISOString();
    let after = kind === progress?.kind ? (progress.after ?? undefined) : undefined;
    do {
      const begunAt = performance.now();
      const page = await removePage({ before, after, limit: PAGE_ROWS });
      removed[kind] = (removed[kind] ?? 0) + page.removed;
      after = page.next;
      await onPage({ kind, after: after ?? null, removed: { ...removed } }, performance.now() - begunAt);
    } while (after !== undefined);
  }
  return removed;
}

/** @param rows a page in its order, without those that another transaction has locked */
export const positionAfter = <Row>(
  rows: readonly Row[],
  limit: number,
  position: (row: Row) => PagePosition,
): PagePosition | undefined => {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : position(last);
};
