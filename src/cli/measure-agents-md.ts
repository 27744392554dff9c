import { createReadStream } from 'node:fs';
import { ContentClass, measureFile, type MeasuredFile } from '../agents-md/measure-file.ts';
import { CommandError } from './command-error.ts';
import { agentsMdExitCodes } from './exit-codes.ts';
import { unreadableFile } from './unreadable-file.ts';

/** More than any host is asked for, so that a file measured here is measured whole. */
const FILE_BYTES_MAX = 16 * 1_024 * 1_024;

/** Measures a file of this machine as the check would, and resolves with 0 for pass and 1 for partial. */
export async function measureAgentsMd(file: string, { json = false }: { json?: boolean } = {}): Promise<number> {
  const { bytes, truncated } = await readBeginning(file);
  const measured = measureFile(bytes, truncated);
  if (measured.notText !== null) {
    throw new CommandError(`${file} holds ${measured.notText}; an AGENTS.md is a text file in Markdown`, {
      code: 'not_text',
    });
  }
  const { measurement } = measured;
  const outcome = measurement.contentClass === ContentClass.content ? 'pass' : 'partial';
  process.stdout.write(
    json ? `${JSON.stringify({ file, outcome, measurement })}\n` : `${describe(file, outcome, measured)}\n`,
  );
  return agentsMdExitCodes[outcome];
}

function describe(file: string, outcome: string, { measurement }: MeasuredFile): string {
  const { visibleCodePoints, threshold, codePoints, contentClass, encoding, headings, truncated } = measurement;
  const counts = `${visibleCodePoints} visible characters (${threshold} needed)`;
  const facts = `${codePoints} with comments, ${headings} headings, ${encoding}, read as ${contentClass.replace('_', ' ')}`;
  return `${outcome}: ${file} has ${counts}; ${facts}${truncated ? ', only its beginning' : ''}`;
}

async function readBeginning(file: string): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  try {
    const chunks: Buffer[] = [];
    // One byte more than is measured tells whether there is more.
    for await (const chunk of createReadStream(file, { end: FILE_BYTES_MAX })) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    return { bytes: bytes.subarray(0, FILE_BYTES_MAX), truncated: bytes.length > FILE_BYTES_MAX };
  } catch (error) {
    throw unreadableFile(file, error);
  }
}
