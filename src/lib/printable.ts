/** Makes text of unknown origin safe to show: characters that control a terminal become their code point. */
export const printable = (text: string): string =>
  text.replace(/[^\P{C}\n]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
