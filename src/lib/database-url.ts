// The database URLs of both programs: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS

type TlsMode = (typeof tlsModes)[number];

export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly path: string }
  | {
      readonly kind: 'postgres';
      /** A host name, an address, or the folder of a Unix socket. */
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string | undefined;
      readonly database: string;
      /** `require` encrypts without verification, as in libpq. */
      readonly tls: TlsMode;
      /** PEM files. */
      readonly rootCertificate: string | undefined;
      readonly certificate: string | undefined;
      readonly key: string | undefined;
    };

const tlsModes = ['disable', 'require', 'verify-full'] as const;
const POSTGRES_PORT = 5432;
const expected = 'file: followed by a path, or postgres://user@host:5432/database?sslmode=verify-full';

/** Throws an Error with the expected form, without any part of the URL, which may hold a password. */
export function parseDatabaseUrl(url: string): DatabaseLocation {
  if (url.startsWith('file:') && url.length > 'file:'.length)
    return { kind: 'sqlite', path: url.slice('file:'.length) };
  if (!isPostgresUrl(url) || !URL.canParse(url)) throw new Error(expected);
  const parsed = new URL(url);
  const parameters = new Map(parsed.searchParams);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value === '' ? undefined : value;
  };
  const host = take('host') ?? parsed.hostname.replace(/^\[|\]$/g, '');
  const [user, password, database] = [parsed.username, parsed.password, parsed.pathname.slice(1)].map(decoded);
  const tls = take('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  const location = {
    kind: 'postgres',
    host,
    port: parsed.port === '' ? POSTGRES_PORT : Number(parsed.port),
    user: user ?? '',
    password: password === '' ? undefined : password,
    database: database ?? '',
    tls: tlsModes.find((mode) => mode === tls) ?? 'verify-full',
    rootCertificate: take('sslrootcert'),
    certificate: take('sslcert'),
    key: take('sslkey'),
  } as const;
  if (location.host.includes(',')) throw new Error('a PostgreSQL URL with one host');
  if (location.host === '' || location.user === '' || location.database === '') throw new Error(expected);
  if (location.tls !== tls) throw new Error(`a PostgreSQL URL with sslmode=${tlsModes.join(', sslmode=')} or none`);
  if ((location.certificate === undefined) !== (location.key === undefined))
    throw new Error('a PostgreSQL URL with both sslcert and sslkey, or neither');
  const [unknown] = parameters.keys();
  if (unknown !== undefined)
    throw new Error('a PostgreSQL URL with no parameters but host, sslmode, sslrootcert, sslcert and sslkey');
  return location;
}

export const isPostgresUrl = (url: string): boolean => /^postgres(?:ql)?:\/\//.test(url);

/** The URL without its password, for people. */
export function shownDatabaseUrl(url: string): string {
  if (!isPostgresUrl(url)) return url;
  if (!URL.canParse(url)) return 'postgres://…';
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

const isLocal = (host: string): boolean => /^(?:\/.*|localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(`${expected}; a percent sign in a part is written %25`);
  }
}
