import { VISIBLE_CODE_POINTS_NEEDED } from './file-measurement.ts';

export const Outcome = { pass: 'pass', partial: 'partial', fail: 'fail' } as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface Reason {
  /** Null if the check is inconclusive. */
  readonly outcome: Outcome | null;
  /** One sentence; `fillIn` replaces its `{words}`. */
  readonly message: string;
  readonly remedy: { readonly summary: string; readonly steps: readonly string[] };
}

const nothingToDo = { summary: 'Nothing to do.', steps: [] };
const untilThen = 'The last conclusive result stands until then.';
const checkAgain = 'Run the check again later; the last conclusive result stands until then.';

/** Every reason a result can have; docs/agents-md.md shows the same table. */
export const reasons = {
  content_found: {
    outcome: 'pass',
    message: '{file} in {place} has {visibleCharacters} ({needed} needed).',
    remedy: nothingToDo,
  },
  stub: {
    outcome: 'partial',
    message: '{file} in {place} has {visibleCharacters} ({needed} needed).',
    remedy: {
      summary: 'Add content to the file.',
      steps: [
        'Describe the project, its commands and its rules: how to build, test and change it.',
        'HTML comments, and white space at both ends, do not count.',
      ],
    },
  },
  empty_file: {
    outcome: 'partial',
    message: '{file} in {place} has no visible characters ({needed} needed).',
    remedy: {
      summary: 'Write the file.',
      steps: ['Describe how to build, test and change the project.', 'HTML comments do not count.'],
    },
  },
  pointer_only: {
    outcome: 'partial',
    message: '{file} in {place} has {visibleCharacters} ({needed} needed) and only points to {named}.',
    remedy: {
      summary: 'Put the text itself in AGENTS.md.',
      steps: [
        'Move the text of the other file into AGENTS.md, or make AGENTS.md a symlink to that file.',
        'The check does not follow imports or links.',
      ],
    },
  },
  broken_link: {
    outcome: 'partial',
    message: 'AGENTS.md in {place} is a symlink whose target cannot be read: {detail}.',
    remedy: {
      summary: 'Point the symlink to a file in the same repository.',
      steps: ['The target must be a text file, not another symlink; or replace the symlink with the file.'],
    },
  },
  lfs_pointer: {
    outcome: 'partial',
    message: '{file} in {place} is stored in Git LFS, so the repository does not contain its text.',
    remedy: {
      summary: 'Keep AGENTS.md out of Git LFS.',
      steps: ['Exclude it in .gitattributes, then add the file again and commit it.'],
    },
  },
  no_organization: {
    outcome: 'fail',
    message: 'No public code-hosting organization is known for {producer}.',
    remedy: {
      summary: 'Name the organization.',
      steps: ["Register the producer's public organization on github.com, gitlab.com, codeberg.org or bitbucket.org."],
    },
  },
  organization_not_found: {
    outcome: 'fail',
    message: '{host} has no public organization {organization}.',
    remedy: {
      summary: 'Correct the name of the organization.',
      steps: ['Compare it with the URL of its page: it may have been renamed, or be on another host.'],
    },
  },
  no_repository: {
    outcome: 'fail',
    message:
      '{organization} on {host} has no public repository that is neither a fork nor archived, and no AGENTS.md elsewhere.',
    remedy: {
      summary: 'Publish a repository with an AGENTS.md.',
      steps: ['The check does not select forks or archived repositories; to check one, name it as primaryRepository.'],
    },
  },
  file_not_found: {
    outcome: 'fail',
    message: 'No AGENTS.md found in {places}.',
    remedy: {
      summary: 'Add AGENTS.md to the root of the default branch.',
      steps: [
        'The name must be exactly AGENTS.md: other spellings and CLAUDE.md do not count.',
        'Describe how to build, test and change the project in at least {needed} visible characters.',
        '`sendoff agents-md template` prints a file to fill in (docs/agents-md.md, "For producers").',
      ],
    },
  },
  repository_required: {
    outcome: null,
    message: 'One response of {host} does not show which repository of {organization} is the primary one.',
    remedy: { summary: 'Name the primary repository.', steps: ['Set primaryRepository in the next check.'] },
  },
  throttled: {
    outcome: null,
    message: '{host} limited the request rate for longer than the check waits: {detail}.',
    remedy: { summary: 'Run the check later, or less often.', steps: [untilThen] },
  },
  unreachable: {
    outcome: null,
    message: '{host} is unavailable: {detail}.',
    remedy: { summary: 'Run the check again later.', steps: [untilThen] },
  },
  refused: {
    outcome: null,
    message: 'The check was denied access: {detail}.',
    remedy: {
      summary: 'Check that the repository is public.',
      steps: [
        'Open the URL without signing in: the host may have blocked the organization, the repository or this client.',
        checkAgain,
      ],
    },
  },
  redirect_blocked: {
    outcome: null,
    message: '{host} redirected to a URL that the check does not follow: {detail}.',
    remedy: {
      summary: 'Find out where the URL redirects.',
      steps: ['If the organization or repository has moved, use its new name.', checkAgain],
    },
  },
  unexpected_content: {
    outcome: null,
    message: '{host} returned something that the check cannot judge: {detail}.',
    remedy: {
      summary: 'Find out what the URL returns.',
      steps: ['AGENTS.md must be Markdown text in UTF-8; the check reads its first 256 KiB.', checkAgain],
    },
  },
  requests_spent: {
    outcome: null,
    message: 'The check made its {requests} requests before it had an answer from {places}.',
    remedy: {
      summary: 'Name the primary repository.',
      steps: ['Set primaryRepository: this saves the request that finds it.', checkAgain],
    },
  },
  absence_unconfirmed: {
    outcome: null,
    message: 'AGENTS.md is gone from {places}, where it was before; no second check has confirmed it.',
    remedy: { summary: 'Run the check again.', steps: [untilThen] },
  },
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof reasons;

/** Replaces `{words}`; a word without a value is a defect and stays visible. */
export const fillIn = (text: string, words: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);

/** What to do, in one paragraph. */
export const fixOf = (reasonCode: ReasonCode): string => {
  const { summary, steps }: Reason['remedy'] = reasons[reasonCode].remedy;
  return fillIn([summary, ...steps].join(' '), { needed: String(VISIBLE_CODE_POINTS_NEEDED) });
};
