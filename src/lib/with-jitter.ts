/**
 * Spreads what would otherwise fall due together, such as all emails that one server outage put off.
 * @param random 0 to 1, as from Math.random
 * @returns milliseconds, at most a tenth more or less
 */
export const withJitter = (delayMs: number, random: number): number => Math.round(delayMs * (0.9 + 0.2 * random));
