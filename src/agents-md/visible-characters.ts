/** Format characters that show something: the signs that Arabic, Syriac and Kaithi write around numbers and words. */
const SHOWN_FORMAT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
/**
 * What shows nothing by itself: zero-width characters, joiners, variation selectors, soft hyphens, marks of direction, tags,
 * controls.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
/** U+2800 is a Braille pattern without a dot. */
const WHITE_SPACE = /[\s\u2800]+/gu;

/**
 * Unicode code points that a reader sees. Characters that show nothing by themselves do not count: of an emoji of several
 * parts its parts do, and its joiners do not. Combining marks count, because vowels of Indic scripts are such. A run of
 * white space counts as one, and none at both ends.
 */
export function visibleCharacters(text: string): number {
  const shown = text
    .replace(WHITE_SPACE, ' ')
    .replace(INVISIBLE, (character) => (SHOWN_FORMAT.test(character) ? character : ''))
    .replace(WHITE_SPACE, ' ')
    .trim();
  return codePointsOf(shown);
}

/** Two UTF-16 units that form a pair are one code point. */
export const codePointsOf = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
