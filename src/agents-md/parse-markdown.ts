import { type Node, Parser } from 'commonmark';

/** Deeper in block quotes and list items, everything is text: the time grows with the depth. */
const CONTAINERS_MAX = 50;
/** Characters to read again: for each `<` and `(`, the parser may read the rest of the paragraph. Takes half a second. */
const READ_AGAIN_MAX = 30_000_000;

/** What `Parser` has and its types lack. */
interface ParserParts {
  /** Each returns 0 if its kind of block does not start here. */
  blockStarts: ((parser: Parser, container: Node) => number)[];
  readonly inlineParser: { parse: (block: Node & { readonly _string_content: string }) => void };
}

/**
 * Blocks, and the inlines of each paragraph that may have a comment. The parser's own time grows with the square of nesting
 * and of what a paragraph leaves open: 64 KiB of `- - - ` or `[a](` take it more than 5 seconds.
 */
export function parseMarkdown(text: string): Node {
  const parser = new Parser();
  const parts = parser as unknown as ParserParts;
  parts.blockStarts = parts.blockStarts.map(
    (starts) => (state, container) => (isDeep(container) ? 0 : starts(state, container)),
  );
  const { inlineParser } = parts;
  const parseInlines = inlineParser.parse.bind(inlineParser);
  let left = READ_AGAIN_MAX;
  inlineParser.parse = (block) => {
    const content = block._string_content;
    if (!content.includes('<!--')) return;
    left -= content.length * (content.match(/[<(]/g)?.length ?? 0);
    if (left > 0) parseInlines(block);
  };
  return parser.parse(text);
}

function isDeep(container: Node): boolean {
  let depth = 0;
  for (let node: Node | null = container; node !== null; node = node.parent) {
    if (node.type === 'block_quote' || node.type === 'item') depth += 1;
  }
  return depth >= CONTAINERS_MAX;
}
