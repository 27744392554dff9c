import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares digests of equal length, so that timing reveals neither the content nor the length of a secret. */
export const sameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
