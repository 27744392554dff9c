/** Visible format characters: the signs around numbers and words in Arabic, Syriac and Kaithi. */
const SHOWN_FORMAT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
/** Zero-width characters, joiners, variation selectors, soft hyphens, direction marks, tags and controls. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
/** U+2800 is a Braille pattern without a dot. */
const WHITE_SPACE = /[\s\u2800]+/gu;

/**
 * The number of visible Unicode code points. Of a composed emoji, the parts count and the joiners do not. Combining marks
 * count, because they include the vowels of Indic scripts. A run of white space counts as one; at both ends it does not.
 */
export function visibleCharacters(text: string): number {
  const shown = text
    .replace(WHITE_SPACE, ' ')
    .replace(INVISIBLE, (character) => (SHOWN_FORMAT.test(character) ? character : ''))
    .replace(WHITE_SPACE, ' ')
    .trim();
  return codePointsOf(shown);
}

export const codePointsOf = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
