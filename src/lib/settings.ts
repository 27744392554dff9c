// A program's settings as one table, read once from the environment; all invalid settings are reported together.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { fileFault } from './file-fault.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { isNetwork } from './dns/networks.ts';
import { parseServerAddress } from './dns/resolver/server-address.ts';

export interface Setting<T> {
  /** One sentence for its row in docs/settings.md. */
  readonly meaning: string;
  readonly example: string;
  /** The value of a variable that is not set. A setting with neither this nor `optional` is required. */
  readonly fallback?: string;
  readonly optional?: true;
  /** Errors never show the value of a secret, and NAME_FILE can name a file that contains it. */
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

export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings; `message` has one paragraph per setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Throws SettingsError, which lists every missing or invalid setting with a valid example. */
export function readSettings<const Table extends SettingsTable>(
  table: Table,
  environment: Environment,
): SettingsOf<Table> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    try {
      values[name] = readSetting(name, setting, environment);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return values as SettingsOf<Table>;
}

/** The same of a few settings of the table. */
export const readSome = <Table extends SettingsTable, Name extends keyof Table & string>(
  table: Table,
  names: readonly Name[],
  environment: Environment,
): SettingsOf<Pick<Table, Name>> => {
  const chosen: SettingsTable = Object.fromEntries(
    Object.entries(table).filter(([name]) => names.some((each) => each === name)),
  );
  return readSettings(chosen, environment) as SettingsOf<Pick<Table, Name>>;
};

function readSetting(name: string, setting: Setting<unknown>, environment: Environment): unknown {
  const text = settingText(name, setting, environment) ?? setting.fallback;
  if (text === undefined) {
    if (setting.optional) return undefined;
    const inFile = setting.secret ? ` ${name}_FILE can name a file that contains it.` : '';
    throw new SettingsError(`${name} is not set. ${setting.meaning}${inFile}\n  ${name}=${setting.example}`);
  }
  try {
    return setting.parse(text);
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error);
    const path = setting.secret && valueOf(`${name}_FILE`, environment);
    const shown = setting.secret ? `a secret value (not shown)${path ? ` in ${path}` : ''}` : JSON.stringify(text);
    throw new SettingsError(`${name} must be ${expected}; found ${shown}.\n  ${name}=${setting.example}`);
  }
}

/**
 * The value of a setting: the variable, or for a secret also the content of the file that NAME_FILE names. Throws
 * SettingsError if both are set or the file cannot be used.
 */
export function settingText(
  name: string,
  { secret }: Pick<Setting<unknown>, 'secret'>,
  environment: Environment,
): string | undefined {
  const value = valueOf(name, environment);
  const path = secret && valueOf(`${name}_FILE`, environment);
  if (!path) return value;
  if (value !== undefined) throw new SettingsError(`${name} and ${name}_FILE are both set; set only one of them.`);
  const content = fileText(`${name}_FILE`, path);
  if (content === '') throw new SettingsError(`${name}_FILE is ${path}, which is empty`);
  return content;
}

/** Undefined for the empty string too: compose files and shells set an unset variable to it. */
function valueOf(name: string, environment: Environment): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

function fileText(name: string, path: string): string {
  try {
    // Most commands that write a secret to a file end it with a newline.
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(`${name} is ${path}, which cannot be read: ${fileFault(error)}`);
  }
}

export const text = (value: string): string => value;

export const wholeNumber =
  (least: number, most: number, expected = `a whole number from ${least} to ${most}`) =>
  (value: string): number => {
    const parsed = Number(value);
    if (!Number.isInteger(parsed) || parsed < least || parsed > most) throw new Error(expected);
    return parsed;
  };

export const port = wholeNumber(0, 65_535, 'a port number, 0 to 65535');

/** `127.0.0.1:9464`, `[::1]:9464` */
function listenAddress(value: string): string {
  const [, ipv4, ipv6, portText = ''] = /^(?:([\d.]+)|\[([\da-fA-F:.]+)\]):(\d{1,5})$/.exec(value) ?? [];
  if (isIP(ipv4 ?? ipv6 ?? '') !== 0 && Number(portText) >= 1 && Number(portText) <= 65_535) return value;
  throw new Error('an IP address of this machine and a port, such as 127.0.0.1:9464 or 0.0.0.0:9464');
}

/** A container orchestrator kills the program after about 30. */
const shutdownSeconds = wholeNumber(0, 60, 'whole seconds from 0 to 60');

export function flag(value: string): boolean {
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
  parseDatabaseUrl(value);
  return value;
}

/** Keys of 32 bytes in base64, separated by commas; the first encrypts, all decrypt. */
export function encryptionKeys(value: string): readonly Buffer[] {
  const keys = value.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32))
    throw new Error('32 bytes in base64 (openssl rand -base64 32), or several such keys separated by commas');
  return keys;
}

/** Separated by commas. */
const listOf =
  (isValid: (entry: string) => boolean, expected: string) =>
  (value: string): readonly string[] => {
    const entries = value.split(',').map((entry) => entry.trim());
    if (!entries.every(isValid)) throw new Error(expected);
    return entries;
  };

/** Without the zone of a link-local address, which the resolver for mail servers does not keep. */
function isServerAddress(text: string): boolean {
  try {
    parseServerAddress(text);
    return !text.includes('%');
  } catch {
    return false;
  }
}
const nameServers = listOf(isServerAddress, 'IP addresses with an optional port, separated by commas');

const networks = listOf(isNetwork, 'IPv4 or IPv6 networks (CIDR) or addresses, separated by commas');

export function oneOf<const Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new Error(`one of ${words.join(', ')}`);
    return word;
  };
}

/** The server uses `:` and a leading `__` itself. */
function versionPart(value: string): string {
  if (!/^(?!__)[^\s:]{1,200}$/.test(value)) throw new Error('1 to 200 characters without spaces and colons');
  return value;
}

const patchIds = listOf(
  (id) => /^[a-z0-9-]{1,100}$/.test(id),
  'ids of patches as the CHANGELOG names them, separated by commas',
);

/** A key for what Temporal stores. */
export interface PayloadKey {
  /** Stored beside what the key encrypts. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** `name:key`, separated by commas. A name may have a colon, base64 has none. */
function payloadKeys(value: string): readonly PayloadKey[] {
  const keys = value.split(',').map((entry) => {
    const colon = entry.lastIndexOf(':');
    return { id: entry.slice(0, Math.max(colon, 0)).trim(), key: Buffer.from(entry.slice(colon + 1).trim(), 'base64') };
  });
  const isValid = ({ id, key }: PayloadKey): boolean => /^[\x21-\x7e]{1,100}$/.test(id) && key.length === 32;
  if (!keys.every(isValid) || new Set(keys.map(({ id }) => id)).size < keys.length)
    throw new Error(
      'keys of 32 bytes in base64 (openssl rand -base64 32), each with a name of its own in front: name:key, separated by commas',
    );
  return keys;
}

/** Of each program, because both may run on one machine. */
export const metricsAddress = {
  meaning:
    'IP address and port at which this process answers `GET /metrics` for Prometheus, without a credential and without TLS: let only Prometheus reach it. Each process of a machine needs its own port. If unset, nothing is measured.',
  example: '127.0.0.1:9464',
  optional: true,
  parse: listenAddress,
} as const satisfies Setting<string>;

/** Of each program, because each has its own database. */
export const databaseConnections = {
  meaning: 'The most connections to PostgreSQL that one process opens.',
  example: '10',
  fallback: '10',
  parse: wholeNumber(2, 1_000),
} as const satisfies Setting<number>;

export const sharedSettings = {
  TEMPORAL_DEPLOYMENT_NAME: {
    meaning:
      'Name of the Worker Deployment to which the Workers of this process belong; set it together with TEMPORAL_WORKER_BUILD_ID. If both are unset, the Workers are not versioned.',
    example: 'sendoff-worker',
    optional: true,
    parse: versionPart,
  },
  TEMPORAL_WORKER_BUILD_ID: {
    meaning:
      'Version of the Workers of this process in that Worker Deployment. They get no tasks before `sendoff deployment promote`.',
    example: '0.2.0',
    optional: true,
    parse: versionPart,
  },
  SENDOFF_HOLD_PATCHES: {
    meaning:
      'Ids of Workflow patches that stay inactive although this release activates them, separated by commas; an execution that has begun with one keeps it.',
    example: 'check-on-wake-up',
    optional: true,
    parse: patchIds,
  },
  SENDOFF_PAYLOAD_KEYS: {
    meaning:
      'Encrypts what Temporal stores (docs/operating.md, "Encrypt what Temporal stores"): keys of 32 bytes in base64, each with a name of your choice: `name:key,name:key`. The first encrypts, all decrypt. Every program and command needs the same ones. If unset, Temporal stores all in clear.',
    example: 'the output of: echo "2026-11:$(openssl rand -base64 32)"',
    optional: true,
    secret: true,
    parse: payloadKeys,
  },
  SENDOFF_PAYLOAD_DECODE_ONLY: {
    meaning:
      'Whether SENDOFF_PAYLOAD_KEYS only decrypt: until every process has them, when encryption is switched on, and after it is switched off.',
    example: 'true',
    fallback: 'false',
    parse: flag,
  },
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
      'Allows private addresses of the name servers, mail servers and webhooks that tenants choose, webhooks over http, and sending domains with reserved names such as acme.test; only for laptops and closed networks.',
    example: 'true',
    fallback: 'false',
    parse: flag,
  },
  BLOCKED_NETWORKS: {
    meaning:
      "Public networks that tenants must not reach either, as CIDRs separated by commas: refused as addresses of their name servers, mail servers and webhooks, also with ALLOW_PRIVATE_ADDRESSES. Clouds' own services at public addresses are always refused.",
    example: '203.0.113.0/24,2001:db8:1::/48',
    optional: true,
    parse: networks,
  },
  SHUTDOWN_DELAY_SECONDS: {
    meaning:
      'How long a stopping HTTP API still answers new requests, while `/readyz` answers 503: longer than the interval at which your load balancer asks `/readyz`.',
    example: '5',
    fallback: '0',
    parse: (value) => shutdownSeconds(value) * 1_000,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      'Base URL of an OpenTelemetry collector that takes traces by OTLP over HTTP (docs/operating.md, "Traces"). The other variables of OpenTelemetry for its exporter, sampler and resource are read as well. If unset, nothing is traced.',
    example: 'http://127.0.0.1:4318',
    optional: true,
    parse: httpUrl,
  },
  LOG_LEVEL: {
    meaning: 'Log level: trace, debug, info, warn, error or silent.',
    example: 'info',
    fallback: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  },
} as const satisfies SettingsTable;

/** What the configuration of both programs has of them. */
export const sharedConfig = (settings: SettingsOf<typeof sharedSettings>) => ({
  dnsResolvers: settings.DNS_RESOLVERS,
  dnsPort: settings.DNS_PORT,
  allowPrivateAddresses: settings.ALLOW_PRIVATE_ADDRESSES,
  // A closed network has both.
  allowReservedNames: settings.ALLOW_PRIVATE_ADDRESSES,
  blockedNetworks: settings.BLOCKED_NETWORKS ?? [],
  shutdownDelayMs: settings.SHUTDOWN_DELAY_SECONDS,
  tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
  logLevel: settings.LOG_LEVEL,
});
