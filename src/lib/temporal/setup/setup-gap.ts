import { TypedSearchAttributes } from '@temporalio/common';
import type { SearchAttribute } from './search-attribute.ts';

/** Something that a Temporal server lacks; part of the output of /readyz and `sendoff setup --json`. */
export type SetupGap =
  | { readonly kind: 'namespace'; readonly name: string }
  | {
      readonly kind: 'search_attribute';
      readonly name: string;
      /** The type it must have, as Temporal's own tools write it: `Keyword`. */
      readonly type: string;
      /** The type it has; null when the Namespace does not have the Search Attribute. */
      readonly found: string | null;
    }
  | { readonly kind: 'workflow'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'schedule'; readonly name: string; readonly namespace: string }
  /** Not the one that the database knows. */
  | { readonly kind: 'other_namespace'; readonly name: string }
  /** The server refuses the credentials there. */
  | { readonly kind: 'namespace_refused'; readonly name: string };

/** `background`: in the background Namespace, without which onboardings go on. */
export type PlacedGap = SetupGap & { readonly background?: true };

/** Nothing can run in a Namespace with one of these. */
export const isOfNamespace = ({ kind }: SetupGap): boolean =>
  kind === 'namespace' || kind === 'other_namespace' || kind === 'namespace_refused';

/** A Workflow that never ends or a Schedule, by its ID, that programs create again. */
export type SingletonGap = Extract<SetupGap, { kind: 'workflow' | 'schedule' }>;
export type SearchAttributeGap = Extract<SetupGap, { kind: 'search_attribute' }>;

export const isOfAttribute = (gap: SetupGap): gap is SearchAttributeGap => gap.kind === 'search_attribute';

export const SETUP_COMMAND = 'sendoff setup';

/** As Temporal's own tools write it: `Keyword`. */
export const typeName = ({ type }: SearchAttribute): string => pascalCase(TypedSearchAttributes.toMetadataType(type));

/** `KeywordList` for `KEYWORD_LIST`, the form of servers and the SDK. */
export const pascalCase = (name: string): string =>
  name.includes('_') || name === name.toUpperCase()
    ? name
        .toLowerCase()
        .split('_')
        .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
        .join('')
    : name;

export function describeGaps(gaps: readonly SetupGap[]): string {
  const missing = gaps.filter(isOfAttribute).filter(({ found }) => found === null);
  return [
    ...gaps.flatMap((gap) => {
      if (gap.kind === 'namespace') return [`The Namespace ${gap.name} does not exist`];
      if (gap.kind === 'namespace_refused') return [`The server refuses the credentials in the Namespace ${gap.name}`];
      if (gap.kind === 'other_namespace') return [`The Namespace ${gap.name} is not the one of the database`];
      if (gap.kind === 'workflow') return [`The Workflow ${gap.name} does not run in the Namespace ${gap.namespace}`];
      if (gap.kind === 'schedule') return [`The Schedule ${gap.name} does not exist in the Namespace ${gap.namespace}`];
      if (gap.found === null) return [];
      return [`The Search Attribute ${gap.name} has the type ${gap.found}; sendoff needs ${gap.type}`];
    }),
    ...(missing.length === 0
      ? []
      : [`Missing Search Attributes: ${missing.map(({ name, type }) => `${name} (${type})`).join(', ')}`]),
  ].join('\n');
}
