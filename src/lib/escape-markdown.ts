/** Text from elsewhere, such as a server's reply, as it is: no markup, one line. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>|~#]/g, '\\$&').replaceAll(/\s+/g, ' ');
