export const Outcome = { pass: 'pass', partial: 'partial', fail: 'fail' } as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

export interface Reason {
  /** Null: the question could not be asked, so nothing is said about the file. */
  readonly outcome: Outcome | null;
  /** One sentence with `{words}` that `fillIn` replaces. */
  readonly message: string;
  readonly remedy: { readonly summary: string; readonly steps: readonly string[] };
}

const nothingToDo = { summary: 'Nothing to do.', steps: [] };
const askAgain = 'Run the check again later; the last conclusive result stands until then.';

/** Every reason a result can have. docs/agents-md-reasons.md is compared with this table. */
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
      summary: 'Say more in the file.',
      steps: [
        'Describe how to build, test and change the project: what it is, the commands, the rules.',
        'HTML comments and white space at both ends do not count.',
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
      summary: 'Put the text itself into AGENTS.md.',
      steps: [
        'Move the text of the file it points to into AGENTS.md, or make AGENTS.md a symlink to it.',
        'Imports and links are not followed.',
      ],
    },
  },
  broken_link: {
    outcome: 'partial',
    message: 'AGENTS.md in {place} is a symlink whose target cannot be read: {detail}.',
    remedy: {
      summary: 'Let the symlink lead to a file of the same repository.',
      steps: ['Point it at a text file inside the repository that is no symlink itself, or replace it by the file.'],
    },
  },
  lfs_pointer: {
    outcome: 'partial',
    message: '{file} in {place} is kept in Git LFS, so its text is not in the repository.',
    remedy: {
      summary: 'Keep AGENTS.md out of Git LFS.',
      steps: ['Exclude it in .gitattributes, then add the file anew and commit it.'],
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
    message: '{host} knows no public organization {organization}.',
    remedy: {
      summary: 'Correct the name of the organization.',
      steps: ['Compare it with the address of its page; it may have been renamed, or be on another host.'],
    },
  },
  no_repository: {
    outcome: 'fail',
    message:
      '{organization} on {host} has no public repository of its own that is not archived, and no AGENTS.md elsewhere.',
    remedy: {
      summary: 'Publish a repository with an AGENTS.md.',
      steps: ['Forks and archived repositories are not primary; name one as primaryRepository if it should be.'],
    },
  },
  file_not_found: {
    outcome: 'fail',
    message: 'There is no AGENTS.md in {places}.',
    remedy: {
      summary: 'Add AGENTS.md to the root of the default branch.',
      steps: [
        'The name is AGENTS.md exactly: other spellings and CLAUDE.md earn no credit.',
        'At least {needed} visible characters say how to build, test and change the project.',
      ],
    },
  },
  repository_required: {
    outcome: null,
    message: '{host} does not tell in one answer which repository of {organization} is the primary one.',
    remedy: { summary: 'Name the primary repository.', steps: ['Give primaryRepository with the next check.'] },
  },
  throttled: {
    outcome: null,
    message: '{host} asked for fewer requests for longer than the check waits: {detail}.',
    remedy: { summary: 'Ask later, or less often.', steps: [askAgain] },
  },
  unreachable: {
    outcome: null,
    message: '{host} did not answer: {detail}.',
    remedy: { summary: 'Ask later.', steps: [askAgain] },
  },
  refused: {
    outcome: null,
    message: '{host} does not let the check read the place: {detail}.',
    remedy: {
      summary: 'Check that the repository is public.',
      steps: [
        'Open the address without signing in: the host may have blocked the organization, the repository or this client.',
        askAgain,
      ],
    },
  },
  redirect_blocked: {
    outcome: null,
    message: '{host} sent the check to a place it does not follow: {detail}.',
    remedy: {
      summary: 'See where the address leads.',
      steps: ['If the organization or repository has moved, give its new name.', askAgain],
    },
  },
  unexpected_content: {
    outcome: null,
    message: '{host} answered with something that cannot be judged: {detail}.',
    remedy: {
      summary: 'See what the address serves.',
      steps: ['AGENTS.md is Markdown text in UTF-8, at most 256 KiB of which are read.', askAgain],
    },
  },
  requests_spent: {
    outcome: null,
    message: 'The {requests} requests of one check are spent before {places} gave an answer.',
    remedy: {
      summary: 'Name the primary repository.',
      steps: ['Give primaryRepository, which saves the request that finds it.', askAgain],
    },
  },
  absence_unconfirmed: {
    outcome: null,
    message: 'AGENTS.md was there before and is gone from {places}; a second look has not confirmed it.',
    remedy: { summary: 'Look again.', steps: [askAgain] },
  },
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof reasons;

/** Replaces `{words}`; one that has no value is a defect and stays visible. */
export const fillIn = (text: string, words: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);
