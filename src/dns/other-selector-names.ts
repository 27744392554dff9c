import type { ExpectedRecord } from './expected-record.ts';

export interface OtherSelectorNames {
  /** `_domainkey.<domain>`: the selector left out. Everything in `below` is below it. */
  readonly parent: string;
  /** Names that lack `_domainkey`, or its underscore. */
  readonly beside: readonly string[];
  /** Under other selectors: those that forms and instructions give as an example, and the selector with the rest doubled. */
  readonly below: readonly string[];
}

/**
 * Where a DKIM key is found when its host was not entered as shown; undefined for other records. Selectors cannot be
 * listed and ours end in random characters, so only mistakes that can be named are looked for.
 */
export function otherSelectorNames({ purpose, name }: ExpectedRecord): OtherSelectorNames | undefined {
  const [, selector, domain] = /^(.+?)\._domainkey\.(.+)$/.exec(name) ?? [];
  if (purpose !== 'dkim' || selector === undefined || domain === undefined) return undefined;
  const parent = `_domainkey.${domain}`;
  const others = [`${selector}._domainkey`, 'default', 'dkim', 'mail', 'selector'].filter((one) => one !== selector);
  return {
    parent,
    beside: [`${selector}.${domain}`, `${selector}.domainkey.${domain}`],
    below: others.map((other) => `${other}.${parent}`),
  };
}
