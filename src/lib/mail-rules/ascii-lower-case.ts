/**
 * Lower case of the 26 letters that DNS compares without case (RFC 4343). Anything else stays as it is and is refused as
 * not ASCII: the lower case of the Kelvin sign, U+212A, is the letter k, and so another name.
 */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
