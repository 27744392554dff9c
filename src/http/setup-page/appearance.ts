import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { createHash } from 'node:crypto';
import { fileFault } from '../../lib/file-fault.ts';
import { SettingsError } from '../../lib/settings.ts';
import { accentColors } from './accent-colors.ts';
import type { SetupPageConfig } from './setup-page-settings.ts';

interface Asset {
  readonly type: string;
  readonly content: Buffer;
}

export interface Appearance {
  readonly name: SetupPageConfig['name'];
  readonly support: SetupPageConfig['support'];
  /** Names below `/setup/assets/`, with a hash of the content, so that browsers may keep them for ever. */
  readonly assets: { readonly style: string; readonly script: string; readonly logo: string | undefined };
  readonly files: ReadonlyMap<string, Asset>;
}

const LOGO_BYTES_MAX = 500_000;
const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** Reads the files once. Throws SettingsError if the logo cannot be used. */
export function createAppearance({ name, logo, color, support }: Omit<SetupPageConfig, 'url'>): Appearance {
  const files = new Map<string, Asset>();
  const add = (label: string, extension: string, asset: Asset): string => {
    const hash = createHash('sha256').update(asset.content).digest('hex').slice(0, 16);
    const file = `${label}-${hash}${extension}`;
    files.set(file, asset);
    return file;
  };
  const style = `${browserFile('setup-page.css')}${color === undefined ? '' : accentColors(color)}`;
  const assets = {
    style: add('style', '.css', { type: 'text/css; charset=utf-8', content: Buffer.from(style) }),
    script: add('script', '.js', {
      type: 'text/javascript; charset=utf-8',
      content: Buffer.from(browserFile('setup-page.js')),
    }),
    logo: logo === undefined ? undefined : add('logo', extname(logo).toLowerCase(), readLogo(logo)),
  };
  return { name, support, assets, files };
}

const browserFile = (file: string): string => readFileSync(new URL(`./browser/${file}`, import.meta.url), 'utf8');

function readLogo(path: string): Asset {
  const type = LOGO_TYPES[extname(path).toLowerCase()];
  const fault = (reason: string): SettingsError =>
    new SettingsError(`SENDOFF_SETUP_PAGE_LOGO is ${path}, which cannot be used: ${reason}`);
  if (type === undefined) throw fault(`its name must end with one of ${Object.keys(LOGO_TYPES).join(', ')}`);
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    throw fault(fileFault(error));
  }
  if (content.length > LOGO_BYTES_MAX)
    throw fault(`it has ${content.length} bytes; at most ${LOGO_BYTES_MAX} are allowed`);
  return { type, content };
}
