import type { ExpectedRecord } from '../expected-record.ts';

export interface OtherSelectorNames {
  /** `_domainkey.<domain>`: the selector left out. Everything in `below` is below it. */
  readonly parent: string;
  /** Names that lack `_domainkey`, or have it in another spelling. */
  readonly beside: readonly string[];
  /** Under other selectors: the examples of forms and instructions, and this one with the rest doubled or cut. */
  readonly below: readonly string[];
}

/**
 * Where a DKIM key is found when its host was not entered as shown; undefined for other records. Selectors cannot be
 * listed and ours end in random characters, so only mistakes that can be named are looked for: not a wrong character.
 */
export function otherSelectorNames({ purpose, name }: ExpectedRecord): OtherSelectorNames | undefined {
  const [, selector, domain] = /^(.+?)\._domainkey\.(.+)$/.exec(name) ?? [];
  if (purpose !== 'dkim' || selector === undefined || domain === undefined) return undefined;
  const parent = `_domainkey.${domain}`;
  const others = [`${selector}._domainkey`, ...misspelt(selector), 'default', 'dkim', 'mail', 'selector'];
  return {
    parent,
    beside: ['', ...LABELS_MISSPELT].map((label) => `${selector}.${label === '' ? '' : `${label}.`}${domain}`),
    below: [...new Set(others)].filter((other) => other !== selector).map((other) => `${other}.${parent}`),
  };
}

const LABELS_MISSPELT = ['domainkey', '_domainkeys', '_domain', '_dkim'];

/** `so20261121-k3f9` with another separator, without one of its parts, or with its first or last character cut off. */
function misspelt(selector: string): readonly string[] {
  const cut = selector.length > 3 ? [selector.slice(1), selector.slice(0, -1)] : [];
  const parts = selector.split('-');
  if (parts.length === 1 || parts.includes('')) return cut;
  return [...cut, ...['', '.', '_'].map((separator) => parts.join(separator)), parts[0] ?? '', parts.at(-1) ?? ''];
}
