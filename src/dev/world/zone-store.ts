// The records of a DNS server: those given at its start, and published ones, which survive a restart.
import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { normalName } from '../../lib/dns/names/domain-name.ts';
import type { ZoneRecord, ZoneRecordType } from './zone-record.ts';

export interface ZoneStore {
  all(): readonly ZoneRecord[];
  /** Adds records that do not exist yet. They are on disk when the call returns. */
  publish(records: readonly ZoneRecord[]): void;
  /** Adds a tenant's records in place of those that this call added for it before. */
  replace(tenantId: string, records: readonly ZoneRecord[]): void;
  /** Removes all records of the type at the name; those given at the start come back at the next start. */
  withdraw(name: string, type: ZoneRecordType): void;
}

/** A change takes milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;

type PublishedRecord = ZoneRecord & { readonly tenantId?: string };

/** @param file JSON array of the published records; without it they are in memory only */
export function openZoneStore(given: readonly ZoneRecord[], file?: string): ZoneStore {
  let fixed = given.map(normalized);
  let published: PublishedRecord[] = [];
  let version: string | undefined;

  /** `sendoff publish` writes the file from another process. */
  function refresh(): void {
    if (file === undefined || !existsSync(file)) return;
    // Two writes may fall into one tick of the file system's clock; each one makes another file.
    const { ino, size, mtimeMs } = statSync(file);
    const found = [ino, size, mtimeMs].join();
    if (found === version) return;
    published = readRecords(file);
    version = found;
  }

  function replacePublished(records: readonly PublishedRecord[]): void {
    if (file !== undefined) replaceFile(file, JSON.stringify(records, undefined, 2));
    published = [...records];
  }

  /** Processes that write the file wait for each other, so that none takes back what another one has just written. */
  function change(edit: () => void): void {
    // SQLite's lock ends with its process.
    const lock = new DatabaseSync(file === undefined ? ':memory:' : `${file}.lock`);
    try {
      lock.exec(`PRAGMA busy_timeout = ${String(LOCK_TIMEOUT_MS)}; BEGIN IMMEDIATE`);
      refresh();
      edit();
    } finally {
      lock.close();
    }
  }

  function add(records: readonly PublishedRecord[], stay: readonly PublishedRecord[]): void {
    const known = new Set([...fixed, ...stay].map(identity));
    const fresh = records.map(normalized).filter((record) => {
      const isNew = !known.has(identity(record));
      known.add(identity(record));
      return isNew;
    });
    if (fresh.length > 0 || stay.length < published.length) replacePublished([...stay, ...fresh]);
  }

  refresh();
  return {
    all() {
      refresh();
      return [...fixed, ...published];
    },
    publish(records) {
      change(() => {
        add(records, published);
      });
    },
    replace(tenantId, records) {
      change(() => {
        add(
          records.map((record) => ({ ...record, tenantId })),
          published.filter((record) => record.tenantId !== tenantId),
        );
      });
    },
    withdraw(name, type) {
      const stays = (record: ZoneRecord): boolean => record.name !== normalName(name) || record.type !== type;
      change(() => {
        fixed = fixed.filter(stays);
        replacePublished(published.filter(stays));
      });
    },
  };
}

function normalized<Kind extends ZoneRecord>(record: Kind): Kind {
  return { ...record, name: normalName(record.name) };
}

function identity({ name, type, value }: ZoneRecord): string {
  return JSON.stringify([name, type, value]);
}

function readRecords(file: string): PublishedRecord[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as PublishedRecord[]).map(normalized);
  } catch (cause) {
    throw new Error(
      `Cannot read ${file}, which must hold a JSON array of records. Delete it to start without published records`,
      { cause },
    );
  }
}

/** Replaces the file by a rename, so that a kill leaves the old or the new one. */
function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { flush: true });
  renameSync(fresh, file);
}
