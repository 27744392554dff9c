import type { RepositoryCandidate } from './code-host.ts';

/** How the primary repository was selected. */
export const SelectedBy = {
  input: 'input',
  organizationName: 'organizationName',
  mostStars: 'mostStars',
  onlyRepository: 'onlyRepository',
} as const;
export type SelectedBy = (typeof SelectedBy)[keyof typeof SelectedBy];

export interface SelectedRepository {
  readonly repository: string;
  readonly selectedBy: SelectedBy;
}

/** The last part of an organization's name: GitLab's groups can be nested. */
export const ownNameOf = (organization: string): string => organization.slice(organization.lastIndexOf('/') + 1);

/**
 * The primary repository of an organization: the one named like it, else the one with the most stars, ties by name.
 *
 * @param decides whether the candidates include the repositories with the most stars; if not, only the name selects one
 * @returns `none` without a public repository to choose from; `undetermined` if the candidates do not decide
 */
export function selectRepository(
  organization: string,
  candidates: readonly RepositoryCandidate[],
  decides: boolean,
): SelectedRepository | 'none' | 'undetermined' {
  const ordinary = candidates.filter(({ name }) => name.toLowerCase() !== '.github');
  const ownName = ownNameOf(organization).toLowerCase();
  const namesake = ordinary.find(({ name }) => name.toLowerCase() === ownName);
  if (namesake !== undefined) return { repository: namesake.name, selectedBy: SelectedBy.organizationName };
  if (!decides) return 'undetermined';
  const [first, second] = ordinary.toSorted((a, b) => (b.stars ?? 0) - (a.stars ?? 0) || (a.name < b.name ? -1 : 1));
  if (first === undefined) return 'none';
  if (second === undefined) return { repository: first.name, selectedBy: SelectedBy.onlyRepository };
  return first.stars === null ? 'undetermined' : { repository: first.name, selectedBy: SelectedBy.mostStars };
}
