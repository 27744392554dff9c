import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CertificateAuthority {
  /** Of its own certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** The same (PEM). */
  readonly certificate: string;
  /** A certificate for a host name and its key (PEM). @param days from now until it ends; in the past if negative */
  issue(name: string, days?: number): { readonly cert: string; readonly key: string };
  end(): void;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const DAY_MS = 86_400_000;

/** Trusted by nobody but the test. */
export function createCertificateAuthority(): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-ca-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...given: readonly string[]): void => {
    execFileSync('openssl', given, { stdio: 'pipe', cwd: folder });
  };
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  openssl('req', '-x509', ...NEW_KEY, '-subj', '/CN=test', '-days', '2', '-keyout', 'ca.key', '-out', 'ca.pem');
  writeFileSync(at('index'), '');
  writeFileSync(
    at('ca.cnf'),
    [
      ...['[ca]', 'default_ca=own', '[own]', 'database=index', 'new_certs_dir=.', 'certificate=ca.pem'],
      ...['private_key=ca.key', 'rand_serial=yes', 'default_md=sha256', 'policy=any', 'copy_extensions=copy'],
      ...['unique_subject=no', '[any]', 'commonName=supplied'],
    ].join('\n'),
  );
  return {
    file: at('ca.pem'),
    certificate: read('ca.pem'),
    issue: (name, days = 1) => {
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      openssl('req', '-new', ...NEW_KEY, ...subject, '-keyout', 'host.key', '-out', 'host.csr');
      const dates = ['-startdate', asn1Time(Math.min(-1, days - 1)), '-enddate', asn1Time(days)];
      openssl('ca', '-batch', '-config', 'ca.cnf', '-notext', ...dates, '-in', 'host.csr', '-out', 'host.pem');
      return { cert: read('host.pem'), key: read('host.key') };
    },
    end: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

const asn1Time = (days: number): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
