/**
 * Lower case of the 26 letters that DNS compares without case (RFC 4343). `toLowerCase` would turn the Kelvin sign, U+212A,
 * into the letter k, which makes another name of it.
 */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
