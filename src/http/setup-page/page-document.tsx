import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Appearance } from './appearance.ts';
import type { SetupTexts } from './texts/setup-texts.ts';

export interface DocumentParts {
  readonly title: string;
  readonly texts: SetupTexts;
  /** The other languages. */
  readonly languages: readonly (Pick<SetupTexts, 'tag' | 'languageName'> & { readonly href: string })[];
  readonly appearance: Appearance;
  readonly children: ComponentChildren;
}

/** Addresses are relative to `/setup/{token}`, so that no page contains its token and a proxy may add a path before `/setup`. */
export const renderDocument = (parts: DocumentParts): string => `<!doctype html>\n${render(<Document {...parts} />)}`;

function Document({ title, texts, languages, appearance, children }: DocumentParts): VNode {
  const { name, support, assets } = appearance;
  return (
    <html lang={texts.tag}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>{name === undefined ? title : `${title} · ${name}`}</title>
        <link rel="icon" href={assets.logo === undefined ? 'data:,' : `assets/${assets.logo}`} />
        <link rel="stylesheet" href={`assets/${assets.style}`} />
        <script src={`assets/${assets.script}`} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          {texts.skipToContent}
        </a>
        <header class="top">
          <p class="brand">
            {assets.logo !== undefined && <img src={`assets/${assets.logo}`} alt={name ?? ''} height="32" />}
            {name !== undefined && assets.logo === undefined && <span>{name}</span>}
          </p>
          <nav class="languages" aria-label={texts.chooseLanguage}>
            {languages.map(({ tag, languageName, href }) => (
              <a key={tag} href={href} lang={tag} hreflang={tag}>
                {languageName}
              </a>
            ))}
          </nav>
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer class="bottom">
          {support === undefined ? (
            <p>{texts.about.supportUnknown}</p>
          ) : (
            <p>
              {texts.about.support} <a href={support.href}>{support.shown}</a>
            </p>
          )}
        </footer>
        {/* Announces a changed state, and copies. */}
        <p id="announcement" class="unseen" role="status" />
      </body>
    </html>
  );
}
