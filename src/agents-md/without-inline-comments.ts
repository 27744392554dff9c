/**
 * A paragraph or heading without its HTML comments (CommonMark 0.31 section 6.6). A comment is content in a code span,
 * after a backslash, and if the paragraph does not close it.
 */
export function withoutInlineComments(text: string): string {
  if (!text.includes('<!--')) return text;
  const closers = codeSpanClosers(text);
  const kept: string[] = [];
  let keptUntil = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '\\') {
      at += 2;
    } else if (character === '`') {
      const length = backticksAt(text, at);
      at = (closers.get(at) ?? at) + length;
    } else if (text.startsWith('<!--', at)) {
      // `<!-->` and `<!--->` are complete comments.
      const end = text.indexOf('-->', at + 2);
      // No later comment has an end mark either.
      if (end === -1) break;
      kept.push(text.slice(keptUntil, at));
      at = end + 3;
      keptUntil = at;
    } else {
      at += 1;
    }
  }
  kept.push(text.slice(keptUntil));
  return kept.join('');
}

/** The end of the code span that each run of backticks opens: the next run of the same length. */
function codeSpanClosers(text: string): Map<number, number> {
  const closers = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (const run of [...text.matchAll(/`+/g)].reverse()) {
    const closer = nextOfLength.get(run[0].length);
    if (closer !== undefined) closers.set(run.index, closer);
    nextOfLength.set(run[0].length, run.index);
  }
  return closers;
}

function backticksAt(text: string, start: number): number {
  let end = start;
  while (text[end] === '`') end += 1;
  return end - start;
}
