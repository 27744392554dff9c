// The documents are not in this repository: `--documents DIR` names a folder with them, as their owners publish them or an excerpt of the
// same form.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBotocore } from './botocore.ts';
import { documentJudge, type DocumentJudge, type Overlay, type ReadDocument } from './document-judge.ts';
import { readOpenApi } from './openapi.ts';
import { resendOverlay, sesOverlay } from './overlays.ts';

interface OfficialDocument {
  /** Names of its file, the whole one first. */
  readonly files: readonly string[];
  readonly read: (text: string) => ReadDocument;
  readonly overlay: Overlay;
}

const documents: Readonly<Record<string, OfficialDocument>> = {
  resend: { files: ['resend.json', 'resend.openapi.json'], read: readOpenApi, overlay: resendOverlay },
  ses: { files: ['service-2.json', 'sesv2.excerpt.json'], read: readBotocore, overlay: sesOverlay },
};

/** Undefined if the provider publishes no document that is used here, or the folder has none. */
export function judgeIn(folder: string | undefined, provider: string): DocumentJudge | undefined {
  const document = documents[provider];
  if (folder === undefined || document === undefined) return undefined;
  const file = document.files.map((name) => join(folder, name)).find((path) => existsSync(path));
  return file === undefined ? undefined : documentJudge(document.read(readFileSync(file, 'utf8')), document.overlay);
}
