/** Text that anybody may have written: what would move the cursor or colour the screen is shown as its number. */
export const printable = (text: string): string =>
  text.replace(/[^\P{C}\n]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
