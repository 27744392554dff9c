import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl, shownDatabaseUrl } from '../../src/lib/database-url.ts';

const plain = { rootCertificate: undefined, certificate: undefined, key: undefined, password: undefined };

describe('a database URL', () => {
  test.each([
    ['file:./data/sendoff.db', { kind: 'sqlite', path: './data/sendoff.db' }],
    [
      'postgres://app@db.acme.com/sendoff',
      {
        kind: 'postgres',
        host: 'db.acme.com',
        port: 5432,
        user: 'app',
        database: 'sendoff',
        tls: 'verify-full',
        ...plain,
      },
    ],
    [
      'postgresql://app:p%40ss@[::1]:6432/sendoff',
      {
        kind: 'postgres',
        host: '::1',
        port: 6432,
        user: 'app',
        database: 'sendoff',
        tls: 'disable',
        ...plain,
        password: 'p@ss',
      },
    ],
    [
      'postgres://app@localhost/sendoff?host=/run/postgresql',
      {
        kind: 'postgres',
        host: '/run/postgresql',
        port: 5432,
        user: 'app',
        database: 'sendoff',
        tls: 'disable',
        ...plain,
      },
    ],
    [
      'postgres://app@db/sendoff?sslmode=require&sslcert=a.pem&sslkey=b.pem&sslrootcert=c.pem',
      {
        ...{ kind: 'postgres', host: 'db', port: 5432, user: 'app', database: 'sendoff', tls: 'require' },
        ...{ password: undefined, rootCertificate: 'c.pem', certificate: 'a.pem', key: 'b.pem' },
      },
    ],
  ])('%s is read', (url, location) => {
    expect(parseDatabaseUrl(url)).toEqual(location);
  });

  test.each([
    ['sendoff.db', 'file: followed by a path, or postgres://user@host:5432/database?sslmode=verify-full'],
    ['postgres://db/sendoff', 'file: followed by a path, or postgres://user@host'],
    ['postgres://app:secret@db', 'file: followed by a path, or postgres://user@host'],
    ['postgres://app:secret%zz@db/sendoff', 'a percent sign in a part is written %25'],
    ['postgres://app:secret@one,two/sendoff', 'a PostgreSQL URL with one host'],
    [
      'postgres://app:secret@db/sendoff?sslmode=prefer',
      'sslmode=disable, sslmode=require, sslmode=verify-full or none',
    ],
    ['postgres://app:secret@db/sendoff?sslcert=a.pem', 'both sslcert and sslkey, or neither'],
    ['postgres://app:secret@db/sendoff?options=-c', 'no parameters but host, sslmode, sslrootcert, sslcert and sslkey'],
  ])('%s is refused with what is expected, without the password', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
    expect(() => parseDatabaseUrl(url)).toThrow(/^(?!.*secret)/);
    expect(shownDatabaseUrl(url)).not.toContain('secret');
  });
});
