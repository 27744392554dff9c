const FILE = String.raw`[\w./-]*\w\.(?:mdc?|mdx|markdown|txt|rst|adoc)`;
const NAMES_FILE = new RegExp(String.raw`(?:^|[^\w./-])${FILE}(?![\w-])`, 'i');
const ONLY_FILE = new RegExp(String.raw`^\W*${FILE}\W*$`, 'i');
/** An import in Claude Code's syntax, with or without an extension. */
const ONLY_IMPORT = /^@\S+$/;
const ONLY_ADDRESS = /^\W*(?:\[[^\]]*\]\([^)]*\)|https?:\/\/\S+)\W*$/i;
const SENDS = /^\W*(?:please\s+)?(see|read|refer\s+to|check|consult|go\s+to|visit|follow|use)\b/i;
/** With a link these two are instructions, not pointers: `Use [pnpm](https://pnpm.io)`. */
const ONLY_TO_FILES = /^(?:follow|use)$/i;
const HAS_ADDRESS = /https?:\/\/|\]\(/i;

/**
 * Whether a short text only refers to other files: every sentence is an import, a file name or a link, or an instruction
 * to read one. `Use Node.js 20.` is content.
 */
export function isPointer(visible: string): boolean {
  const sentences = visible
    .split('\n')
    .filter((line) => !/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line))
    .flatMap((line) => line.replace(/^\s*(?:[-*+>]\s+)+/, '').split(/(?<=[.!?])\s+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\w/.test(sentence));
  return sentences.length > 0 && sentences.every(sendsElsewhere);
}

function sendsElsewhere(sentence: string): boolean {
  if (ONLY_FILE.test(sentence) || ONLY_IMPORT.test(sentence) || ONLY_ADDRESS.test(sentence)) return true;
  const verb = SENDS.exec(sentence)?.[1];
  if (verb === undefined) return false;
  return NAMES_FILE.test(sentence) || (HAS_ADDRESS.test(sentence) && !ONLY_TO_FILES.test(verb));
}
