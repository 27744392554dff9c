import { kindOf, type ExpectedRecord, type RecordKind } from '../expected-record.ts';
import type { DnsQuestion, LookUpType } from '../resolver/answer.ts';
import type { CollectedRecord } from './collected-record.ts';
import {
  apexNames,
  doubledNames,
  extendedNames,
  mistypedNames,
  misspeltNames,
  otherSelectorNames,
  parentNames,
} from './misplaced-names.ts';

/** Where a record may be published by mistake. */
export interface PlaceToSearch extends DnsQuestion {
  readonly place: keyof Pick<
    CollectedRecord,
    'doubled' | 'onParent' | 'domainItself' | 'otherTypes' | 'otherSelectors' | 'misspelt'
  >;
}

/** Types that forms offer beside the right one; receivers no longer read the type SPF (RFC 7208 section 3.1). */
const typesMistaken: Readonly<Record<RecordKind, readonly LookUpType[]>> = {
  dkim: ['MX', 'SPF'],
  spf: ['MX', 'SPF'],
  dmarc: ['MX'],
  return_path: ['TXT'],
  // Anything else at the name is in the way of a CNAME record.
  alias: ['TXT', 'A', 'MX', 'AAAA'],
};

/** Number of hosts without `_domainkey`, or with it misspelt. */
const HOSTS_LIKELIEST = 2;
const HOSTS_LIKELY = 7;
const SELECTORS_LIKELY = 8;
/** In the form of the zone, and in that of the sending domain. */
const DOUBLED_LIKELY = 2;

interface SearchedZone {
  readonly zone: string;
  readonly domain: string;
  readonly nameExists: boolean;
  /** The names of all records of the check: two of them may have been swapped. */
  readonly names: readonly string[];
}

export function placesToSearch(expected: ExpectedRecord, { zone, domain, nameExists, names }: SearchedZone) {
  const { name, type, purpose } = expected;
  const doubled = doubledNames(name, zone, domain);
  // A DMARC policy of a parent domain is not misplaced.
  const onParent = purpose === 'dmarc' ? [] : parentNames(name, domain);
  const domainItself = apexNames(zone, domain);
  // Those below a name that does not exist are searched as well: some servers deny an empty name (RFC 8020).
  const { parent, beside, below } = otherSelectorNames(expected) ?? { beside: [], below: [] };
  const named = [...doubled, ...onParent, ...domainItself, ...beside];
  const swapped = names.filter((one) => one !== name);
  const misspelt = [...swapped, ...misspeltNames(expected, zone, domain)].filter((one) => !named.includes(one));
  const extended = extendedNames(expected, zone, domain).filter(
    (one) => ![...named, ...misspelt, ...below].includes(one),
  );
  const others = [...named, ...misspelt, ...below, ...extended];
  const at = (place: PlaceToSearch['place'], names: readonly string[]): readonly PlaceToSearch[] =>
    names.map((one) => ({ place, name: one, type }));
  const likely: readonly PlaceToSearch[] = [
    ...(nameExists ? typesMistaken[kindOf(expected)] : []).map(
      (other) => ({ place: 'otherTypes', name, type: other }) as const,
    ),
    ...at('doubled', doubled.slice(0, DOUBLED_LIKELY)),
    ...at('domainItself', domainItself),
    ...at('onParent', onParent),
    ...at('otherSelectors', beside.slice(0, HOSTS_LIKELIEST)),
    ...at('otherSelectors', parent === undefined ? [] : [...below.slice(0, 1), parent]),
    // Without a name below `parent`, none of these is asked for.
    ...at('otherSelectors', below.slice(1, SELECTORS_LIKELY)),
    ...at('otherSelectors', beside.slice(HOSTS_LIKELIEST, HOSTS_LIKELY)),
    ...at('doubled', doubled.slice(DOUBLED_LIKELY)),
    ...at('otherSelectors', below.slice(SELECTORS_LIKELY)),
    ...at('misspelt', misspelt),
    ...at('otherSelectors', beside.slice(HOSTS_LIKELY)),
    ...at('misspelt', extended),
  ];
  return {
    /** The likeliest first. */
    likely,
    /** Names with one error of typing, in groups by how often it happens. */
    mistyped: mistypedNames(expected, zone, domain).map((group) =>
      at(
        'misspelt',
        group.filter((one) => !others.includes(one)),
      ),
    ),
  };
}
