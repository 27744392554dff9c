/** What fills it in is visible text; as printed it has comments and headings only, so the check calls it a stub. */
export const TEMPLATE = `# Working on this project

<!-- What the project is, in two sentences: what it does, in which language, for whom. -->

## Commands

<!-- How to install, build, run and test it; how to run one test. One command per line, as it is typed. -->

## Structure

<!-- The folders that matter, what is in each, and where to start reading. -->

## Rules

<!-- What a change must keep to: style, tests, what not to touch, how commits are written. -->
`;
