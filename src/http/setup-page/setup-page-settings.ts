import { httpUrl, type SettingsOf, type SettingsTable, text } from '../../lib/settings.ts';

/** The settings of the tenants' setup pages, a part of those of the orchestrator. */
export const setupPageSettings = {
  SENDOFF_SETUP_PAGE_URL: {
    meaning:
      "Base URL of the tenants' setup pages, if it differs from SENDOFF_PUBLIC_URL; if both are unset, the address on which the server listens.",
    example: 'https://setup.example.com',
    optional: true,
    parse: httpUrl,
  },
  SENDOFF_SETUP_PAGE_NAME: {
    meaning: 'Name of the product on the setup page; if unset, the page has none.',
    example: 'Example Mail',
    optional: true,
    parse: shortText,
  },
  SENDOFF_SETUP_PAGE_LOGO: {
    meaning: 'File with the logo on the setup page: SVG, PNG, JPEG or WebP, at most 500 KB, shown 32 pixels high.',
    example: '/etc/sendoff/logo.svg',
    optional: true,
    parse: text,
  },
  SENDOFF_SETUP_PAGE_COLOR: {
    meaning:
      'Colour of buttons and links on the setup page, `#rrggbb`; where it could not be read, a darker or lighter one is used.',
    example: '#1f5fd0',
    optional: true,
    parse: color,
  },
  SENDOFF_SETUP_PAGE_SUPPORT: {
    meaning: 'Email address or URL that the setup page names for questions.',
    example: 'support@example.com',
    optional: true,
    parse: support,
  },
} as const satisfies SettingsTable;

export type SetupPageConfig = ReturnType<typeof setupPageConfig>;

export const setupPageConfig = (settings: SettingsOf<typeof setupPageSettings>) => ({
  url: settings.SENDOFF_SETUP_PAGE_URL,
  name: settings.SENDOFF_SETUP_PAGE_NAME,
  logo: settings.SENDOFF_SETUP_PAGE_LOGO,
  color: settings.SENDOFF_SETUP_PAGE_COLOR,
  support: settings.SENDOFF_SETUP_PAGE_SUPPORT,
});

function shortText(value: string): string {
  if (value.length > 60) throw new Error('at most 60 characters');
  return value;
}

function color(value: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error('a colour as #rrggbb');
  return value;
}

function support(value: string): { readonly href: string; readonly shown: string } {
  if (/^[^\s@:/?#&%]+@[^\s@:/?#&%]+$/.test(value)) return { href: `mailto:${value}`, shown: value };
  try {
    return { href: httpUrl(value), shown: httpUrl(value).replace(/^https?:\/\//, '') };
  } catch {
    throw new Error('an email address or an http or https URL');
  }
}
