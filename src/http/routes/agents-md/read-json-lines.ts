import { type Producer, PRODUCERS_MAX, readProducer } from '../../../agents-md/producer.ts';
import { refuseIfAny } from '../../../lib/http/problem.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { throwFieldErrors, type FieldFault } from '../../throw-field-errors.ts';

/** Some 300 characters for each of the most producers. */
const BYTES_MAX = 16 * 1_048_576;
const LINE_CHARACTERS_MAX = 8_192;
const FAULTS_MAX = 100;

/** Reads producers as they arrive, one JSON object per line. @throws the 422 response with the first faults, each with its line */
export async function readJsonLines(body: AsyncIterable<Buffer>): Promise<Producer[]> {
  const decoder = new TextDecoder();
  const producers = new Map<string, { producer: Producer; line: number }>();
  const faults: FieldFault[] = [];
  let rest = '';
  let line = 0;
  let bytes = 0;
  const refuse = (detail: string): void => {
    refuseIfAny([{ pointer: '', code: 'too_large', detail }]);
  };
  const read = (text: string): void => {
    line += 1;
    if (text.length > LINE_CHARACTERS_MAX) refuse(`Line ${line} must have at most ${LINE_CHARACTERS_MAX} characters.`);
    if (text.trim() === '' || faults.length >= FAULTS_MAX) return;
    const value = parseJson(text);
    const found = value === undefined ? [{ field: '', problem: 'must be a JSON object' }] : readProducer(value);
    const at = `line ${line}`;
    if (Array.isArray(found)) {
      for (const { field, problem } of found) faults.push({ field: field === '' ? at : `${at}.${field}`, problem });
      return;
    }
    const first = producers.get(found.producerId);
    if (first !== undefined) faults.push({ field: `${at}.producerId`, problem: `repeats line ${first.line}` });
    else producers.set(found.producerId, { producer: found, line });
    if (producers.size > PRODUCERS_MAX) refuse(`The list must have at most ${PRODUCERS_MAX} producers.`);
  };
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) refuse(`The list must have at most ${BYTES_MAX} bytes.`);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(read);
    // The rest of a line that is too long is not kept.
    if (rest.length > LINE_CHARACTERS_MAX) read(rest);
  }
  read(rest + decoder.decode());
  throwFieldErrors(faults);
  return [...producers.values()].map(({ producer }) => producer);
}
