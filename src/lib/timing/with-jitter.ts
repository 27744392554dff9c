/**
 * Spreads delays that would otherwise end together, such as those of all emails that one outage deferred.
 * @param random 0 to 1, as from Math.random
 * @returns milliseconds, up to a tenth more or less
 */
export const withJitter = (delayMs: number, random: number): number => Math.round(delayMs * (0.9 + 0.2 * random));
