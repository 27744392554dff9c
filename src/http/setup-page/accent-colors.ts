// WCAG 2.2: text needs a contrast of 4.5 to its background.
const CONTRAST_MIN = 4.5;

type Rgb = readonly [number, number, number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The lightest and the darkest background of the style sheet's two schemes. */
const LIGHT_BACKGROUND: Rgb = [246, 247, 249];
const DARK_BACKGROUND: Rgb = [29, 33, 40];

/**
 * Rules that replace the accent colour of the style sheet. On a background on which the colour cannot be read, it is mixed with black
 * or white until it can.
 *
 * @param color `#rrggbb`
 */
export function accentColors(color: string): string {
  const accent = rgbOf(color);
  const rules = (background: Rgb, towards: Rgb): string => {
    const readable = mixedUntilReadable(accent, background, towards);
    const onAccent = contrast(WHITE, readable) >= contrast(BLACK, readable) ? WHITE : BLACK;
    return `--accent: ${hexOf(readable)}; --on-accent: ${hexOf(onAccent)};`;
  };
  return [
    `:root { ${rules(LIGHT_BACKGROUND, BLACK)} }`,
    `@media (prefers-color-scheme: dark) { :root { ${rules(DARK_BACKGROUND, WHITE)} } }`,
    '',
  ].join('\n');
}

function mixedUntilReadable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, towards, share);
    if (contrast(mixed, background) >= CONTRAST_MIN) return mixed;
  }
  return towards;
}

const mix = ([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb => {
  const part = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return [part(r, toR), part(g, toG), part(b, toB)];
};

export function contrast(one: Rgb, other: Rgb): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export const rgbOf = (hex: string): Rgb => {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

const hexOf = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
