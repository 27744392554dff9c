import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Sealer } from '../../lib/sealing.ts';

interface SealedDkimKey {
  /** PEM, as the domain's row has it. */
  readonly sealed: string;
  readonly context: string;
}

export type OpenDkimKey = (key: SealedDkimKey) => KeyObject;

/** A kept key takes a few kilobytes. */
const KEPT_MAX = 1_000;
/** A key whose domain is gone leaves the memory with the next key that is used after this. */
const KEPT_MS = 10 * 60_000;

/** Keeps parsed keys, because parsing one takes as long as signing with it. A row with another sealed key never gets an old one. */
export function createDkimKeys(sealer: Sealer, now = (): number => performance.now()): OpenDkimKey {
  /** By sealed text and context, in the order in which they were opened. */
  const kept = new Map<string, { readonly privateKey: KeyObject; readonly openedAt: number }>();
  const forgetWhile = (isOver: (openedAt: number) => boolean): void => {
    for (const [name, { openedAt }] of kept) {
      if (!isOver(openedAt)) break;
      kept.delete(name);
    }
  };
  return ({ sealed, context }) => {
    forgetWhile((openedAt) => now() - openedAt >= KEPT_MS);
    const name = `${context} ${sealed}`;
    const known = kept.get(name);
    if (known !== undefined) return known.privateKey;
    const privateKey = createPrivateKey(sealer.open(sealed, context));
    kept.set(name, { privateKey, openedAt: now() });
    forgetWhile(() => kept.size > KEPT_MAX);
    return privateKey;
  };
}
