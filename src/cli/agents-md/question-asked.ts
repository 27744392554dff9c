/**
 * What a check asks next, as plain text; undefined when it has concluded.
 *
 * @param details Markdown for the Temporal UI, whose last line says it; null when no Worker answers
 */
export function questionAsked(details: string | null): string | undefined {
  const last = details?.trimEnd().split('\n').at(-1) ?? '';
  return last.startsWith('Asking ') ? last.replaceAll(/\\([\\`*_[\]<>|~#])/g, '$1') : undefined;
}
