import { createReadStream } from 'node:fs';
import { FILE_BYTES_MAX } from '../code-host-client/fetch-place.ts';
import { ContentClass, measureFile, type MeasuredFile, VISIBLE_CODE_POINTS_NEEDED } from '../agents-md/measure-file.ts';
import { CommandError } from './command-error.ts';
import { agentsMdExitCodes } from './exit-codes.ts';
import { unreadableFile } from './unreadable-file.ts';

/** Measures a file of this machine as the check would: resolves with 0 for pass, 1 for partial, 3 when it is too long to tell. */
export async function measureAgentsMd(file: string, { json = false }: { json?: boolean } = {}): Promise<number> {
  const { bytes, truncated } = await readBeginning(file);
  const measured = measureFile(bytes, truncated);
  if (measured.notText !== null) {
    throw new CommandError(`${file} holds ${measured.notText}; an AGENTS.md is a text file in Markdown`, {
      code: 'not_text',
    });
  }
  const { measurement } = measured;
  // The rest of the file might hold what its beginning lacks.
  const isOpen = truncated && measurement.visibleCodePoints < VISIBLE_CODE_POINTS_NEEDED;
  const conclusive = measurement.contentClass === ContentClass.content ? 'pass' : 'partial';
  const outcome = isOpen ? 'inconclusive' : conclusive;
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
