// A program's settings as one table, read once from the environment; all invalid settings are reported together.

export interface Setting<T> {
  /** One sentence for its row in docs/settings.md. */
  readonly meaning: string;
  readonly example: string;
  /** The value of a variable that is not set. A setting with neither this nor `optional` is required. */
  readonly fallback?: string;
  readonly optional?: true;
  /** Errors never show the value of a secret. */
  readonly secret?: true;
  /** Throws an Error whose message is the expected form: `true or false`. */
  readonly parse: (text: string) => T;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { optional: true }
    ? ReturnType<Table[Name]['parse']> | undefined
    : ReturnType<Table[Name]['parse']>;
};

/** Invalid settings; `message` has one paragraph per setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Throws SettingsError, which lists every missing or invalid setting with a valid example. */
export function readSettings<const Table extends SettingsTable>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
): SettingsOf<Table> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    // Compose files and shells set an unset variable to the empty string.
    const found = environment[name]?.trim();
    const text = found === undefined || found === '' ? setting.fallback : found;
    if (text === undefined) {
      if (!setting.optional) problems.push(`${name} is not set. ${setting.meaning}\n  ${name}=${setting.example}`);
      continue;
    }
    try {
      values[name] = setting.parse(text);
    } catch (error) {
      const shown = setting.secret ? 'a secret value (not shown)' : JSON.stringify(text);
      const expected = error instanceof Error ? error.message : String(error);
      problems.push(`${name} must be ${expected}; found ${shown}.\n  ${name}=${setting.example}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return values as SettingsOf<Table>;
}

export const text = (value: string): string => value;

export function port(value: string): number {
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < 0 || parsed > 65_535) throw new Error('a port number, 0 to 65535');
  return parsed;
}

function flag(value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Error('true or false');
}

/** Returns the URL without a trailing slash. */
export function httpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error('an http or https URL');
  return value.replace(/\/+$/, '');
}

export function databaseUrl(value: string): string {
  if (!value.startsWith('file:') || value.length === 'file:'.length) throw new Error('file: followed by a path');
  return value;
}

/** Keys of 32 bytes in base64, separated by commas; the first encrypts, all decrypt. */
export function encryptionKeys(value: string): readonly Buffer[] {
  const keys = value.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32))
    throw new Error('32 bytes in base64 (openssl rand -base64 32), or several such keys separated by commas');
  return keys;
}

/** Addresses with an optional port, separated by commas: `192.0.2.1,192.0.2.2:5353,[2001:db8::1]:53`. */
function nameServers(value: string): readonly string[] {
  const servers = value.split(',').map((server) => server.trim());
  const address =
    /^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?|\[[0-9a-fA-F:.]+\](?::\d{1,5})?|[0-9a-fA-F]*:[0-9a-fA-F:.]+)$/;
  if (!servers.every((server) => address.test(server)))
    throw new Error('IP addresses with an optional port, separated by commas');
  return servers;
}

function oneOf<const Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new Error(`one of ${words.join(', ')}`);
    return word;
  };
}

/** Settings of both programs. */
export const sharedSettings = {
  DNS_RESOLVERS: {
    meaning:
      'Recursive resolvers, each with an optional port, separated by commas; defaults to those of the machine. At least one should validate DNSSEC: domains in zones that fail DNSSEC validation are not verified.',
    example: '192.0.2.53,192.0.2.54:5353',
    optional: true,
    parse: nameServers,
  },
  DNS_PORT: {
    meaning: 'Port on which authoritative name servers are queried; change it only for experiments.',
    example: '53',
    fallback: '53',
    parse: port,
  },
  ALLOW_PRIVATE_ADDRESSES: {
    meaning:
      'Allows private addresses of the name servers, mail servers and webhooks that tenants choose, and webhooks over http; only for laptops and closed networks.',
    example: 'true',
    fallback: 'false',
    parse: flag,
  },
  LOG_LEVEL: {
    meaning: 'Log level: trace, debug, info, warn, error or silent.',
    example: 'info',
    fallback: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  },
} as const satisfies SettingsTable;
