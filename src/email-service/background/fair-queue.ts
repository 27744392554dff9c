/** An entry that waits to be started. `shares`: the limits that it shares with others: its kind, its account, its destination. */
export interface QueueEntry {
  readonly shares: readonly string[];
}

/** A queue for each combination of shares. */
export interface FairQueue<Entry extends QueueEntry> {
  readonly add: (entry: Entry) => void;
  /** False if it does not wait. */
  readonly remove: (entry: Entry) => boolean;
  /**
   * Removes an entry none of whose shares is full, taking the shares in turn. The cost depends on how many shares are full, not on how
   * many entries wait.
   * @param isFull for the share at this index
   */
  readonly next: (isFull: IsFull) => Entry | undefined;
}

type IsFull = (share: string, index: number) => boolean;

/** By the shares, down to those that have all of them. */
type Queues<Entry> = Map<string, Queues<Entry>> | Set<Entry>;

export function createFairQueue<Entry extends QueueEntry>(): FairQueue<Entry> {
  const queues: Queues<Entry> = new Map();

  function put(at: Queues<Entry>, entry: Entry, [share, ...more]: readonly string[]): void {
    if (at instanceof Set) at.add(entry);
    else if (share !== undefined) {
      const below = at.get(share) ?? (more.length === 0 ? new Set<Entry>() : new Map<string, Queues<Entry>>());
      at.set(share, below);
      put(below, entry, more);
    }
  }

  function drop(at: Queues<Entry> | undefined, entry: Entry, [share = '', ...more]: readonly string[]): boolean {
    if (at === undefined || at instanceof Set) return at?.delete(entry) ?? false;
    const below = at.get(share);
    const dropped = drop(below, entry, more);
    if (below?.size === 0) at.delete(share);
    return dropped;
  }

  function first(at: Queues<Entry>, isFull: IsFull, index: number): Entry | undefined {
    if (at instanceof Set) return at.values().next().value;
    for (const [share, below] of at) {
      const found = isFull(share, index) ? undefined : first(below, isFull, index + 1);
      if (found === undefined) continue;
      // The other shares come before its next one.
      at.delete(share);
      at.set(share, below);
      return found;
    }
    return undefined;
  }

  const remove = (entry: Entry): boolean => drop(queues, entry, entry.shares);
  return {
    add: (entry) => {
      put(queues, entry, entry.shares);
    },
    remove,
    next: (isFull) => {
      const found = first(queues, isFull, 0);
      if (found !== undefined) remove(found);
      return found;
    },
  };
}
