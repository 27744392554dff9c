import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accentColors, contrast, rgbOf } from '../../src/http/setup-page/accent-colors.ts';
import { createAppearance } from '../../src/http/setup-page/appearance.ts';
import { SettingsError } from '../../src/lib/settings.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

const folder = folderOfFile();

const looks = (changes: { logo?: string; color?: string }) =>
  createAppearance({ name: 'Example', support: undefined, logo: undefined, color: undefined, ...changes });

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test.each(['#1f5fd0', '#ffd400', '#000000', '#ffffff', '#808080', '#ff0000', '#00ff66'])(
  '%s can be read on the backgrounds of both schemes, and the text of a button on it',
  (color) => {
    const pairs = [...accentColors(color).matchAll(/--accent: (#\w+); --on-accent: (#\w+);/g)];
    const backgrounds = ['#f6f7f9', '#1d2128'];
    expect(pairs).toHaveLength(2);
    pairs.forEach(([, accent = '', onAccent = ''], scheme) => {
      expect(contrast(rgbOf(accent), rgbOf(backgrounds[scheme] ?? ''))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(rgbOf(onAccent), rgbOf(accent))).toBeGreaterThanOrEqual(4.5);
    });
  },
);

test('the colour is part of the style sheet, whose name changes with it', () => {
  const [plain, coloured] = [looks({}), looks({ color: '#ffd400' })];
  expect(coloured.assets.style).not.toBe(plain.assets.style);
  expect(coloured.assets.script).toBe(plain.assets.script);
  expect(coloured.files.get(coloured.assets.style)?.content.toString()).toContain('--accent: #ffd400');
});

test('the logo is served with its type', () => {
  const { assets, files } = looks({ logo: file('Logo.SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>') });
  expect(assets.logo).toMatch(/^logo-[0-9a-f]{16}\.svg$/);
  expect(files.get(assets.logo ?? '')?.type).toBe('image/svg+xml');
});

test.each([
  ['is missing', () => join(folder, 'none.png'), 'there is no such file'],
  ['is of another type', () => file('logo.exe', ''), 'its name must end with one of .svg, .png, .jpg, .jpeg, .webp'],
  ['is too large', () => file('large.png', 'x'.repeat(500_001)), 'it has 500001 bytes; at most 500000 are allowed'],
])('a logo that %s is an error of the setting', (_case, path, reason) => {
  const logo = path();
  expect(() => looks({ logo })).toThrow(
    new SettingsError(`SENDOFF_SETUP_PAGE_LOGO is ${logo}, which cannot be used: ${reason}`),
  );
});
