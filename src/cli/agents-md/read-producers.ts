import { createReadStream } from 'node:fs';
import { BATCH_PRODUCERS_MAX } from '../../agents-md/batch.ts';
import { type CheckInput, checkInputFaults } from '../../agents-md/check-input.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { CommandError } from '../command-error.ts';
import { unreadableFile } from '../unreadable-file.ts';

/** Far more than a producer's names need. */
const LINE_CHARACTERS_MAX = 10_000;
/** More than a person fixes before trying again. */
const PROBLEMS_SHOWN_MAX = 50;

/**
 * The producers of a file with one JSON object per line, in the order of the file.
 *
 * @param file a path, or `-` for stdin
 * @throws CommandError naming every invalid line, and every duplicate producer
 */
export async function readProducers(file: string, stdin: NodeJS.ReadableStream): Promise<CheckInput[]> {
  const producers: CheckInput[] = [];
  const lineOf = new Map<string, number>();
  const problems: string[] = [];
  let number = 0;
  for await (const line of linesOf(file, stdin)) {
    number += 1;
    const text = line.trim();
    if (text === '') continue;
    const found = readLine(text);
    if (Array.isArray(found)) {
      problems.push(...found.map((problem) => `line ${number}: ${problem}`));
      continue;
    }
    const { producerId } = found;
    const before = lineOf.get(producerId);
    if (before !== undefined)
      problems.push(`line ${number}: producerId ${producerId} is already used in line ${before}`);
    lineOf.set(producerId, before ?? number);
    producers.push(found);
    if (producers.length > BATCH_PRODUCERS_MAX) break;
  }
  const name = file === '-' ? 'stdin' : file;
  if (producers.length > BATCH_PRODUCERS_MAX) {
    throw invalid(`${name} has more than ${BATCH_PRODUCERS_MAX} producers: split it into several files`);
  }
  if (problems.length > 0) throw invalid(`No check was started. ${name} has invalid lines:\n${shown(problems)}`);
  if (producers.length === 0) {
    throw invalid(`${name} contains no producer: expected one JSON object per line, such as ${EXAMPLE}`);
  }
  return producers;
}

const EXAMPLE = '{"producerId":"acme","organization":"acme","primaryRepository":"widgets"}';

/** The producer, or every problem of the line. */
function readLine(text: string): CheckInput | string[] {
  const value = parseJson(text);
  if (value === undefined) {
    return [`must be one JSON object such as ${EXAMPLE}; found ${JSON.stringify(text.slice(0, 80))}`];
  }
  const problems = checkInputFaults(value);
  return problems.length === 0
    ? (value as CheckInput)
    : problems.map(({ field, problem }) => `${field} ${problem}`.trim());
}

const shown = (problems: readonly string[]): string =>
  [
    ...problems.slice(0, PROBLEMS_SHOWN_MAX).map((problem) => `  ${problem}`),
    ...(problems.length > PROBLEMS_SHOWN_MAX ? [`  and ${problems.length - PROBLEMS_SHOWN_MAX} more`] : []),
  ].join('\n');

async function* linesOf(file: string, stdin: NodeJS.ReadableStream): AsyncGenerator<string> {
  // Removes a byte order mark, and joins characters that are split between chunks.
  const decoder = new TextDecoder();
  let rest = '';
  try {
    const input: AsyncIterable<string | Buffer> = file === '-' ? stdin : createReadStream(file);
    for await (const chunk of input) {
      const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > LINE_CHARACTERS_MAX) {
        throw invalid(
          `${file} has a line of more than ${LINE_CHARACTERS_MAX} characters: expected one producer per line`,
        );
      }
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreadableFile(file, error);
  }
  yield rest + decoder.decode();
}

const invalid = (message: string): CommandError => new CommandError(message, { code: 'validation_failed' });
