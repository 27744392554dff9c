import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import type { SetupTexts } from './texts/setup-texts.ts';

/** The first is the one of readers whose language is not among them. */
export const setupLanguages: readonly SetupTexts[] = [en, de];

const LANGUAGES_MAX = 50;

/** The language that the reader chose, or else the browser's first one that the page has (RFC 9110 section 12.5.4). */
export function chooseLanguage(chosen: string | undefined, accepted: string | undefined): SetupTexts {
  const wanted = [chosen ?? '', ...byWeight(accepted ?? '')];
  return wanted.map(textsOf).find((texts) => texts !== undefined) ?? en;
}

function byWeight(accepted: string): string[] {
  return accepted
    .split(',', LANGUAGES_MAX)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/** `de-AT` is `de`. */
const textsOf = (tag: string): SetupTexts | undefined =>
  setupLanguages.find((texts) => texts.tag === tag.split('-')[0]?.toLowerCase());
