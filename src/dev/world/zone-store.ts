// The records of a DNS server: those it was started with, and those published since, which survive a restart.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import type { ZoneRecord, ZoneRecordType } from './zone-record.ts';

export interface ZoneStore {
  all(): readonly ZoneRecord[];
  /** Adds records; one that is there already is not doubled. On disk when the call returns. */
  publish(records: readonly ZoneRecord[]): void;
  /** Removes all records of the type at the name. Those the server was started with come back at its next start. */
  withdraw(name: string, type: ZoneRecordType): void;
}

/** @param file a JSON array of the published records; none keeps them in memory only */
export function openZoneStore(given: readonly ZoneRecord[], file?: string): ZoneStore {
  let fixed = given.map(normalized);
  let published: ZoneRecord[] = [];
  let readAtMs: number | undefined;

  /** `sendoff publish` writes the file from another process. */
  function refresh(): void {
    if (file === undefined || !existsSync(file)) return;
    const { mtimeMs } = statSync(file);
    if (mtimeMs === readAtMs) return;
    published = readRecords(file);
    readAtMs = mtimeMs;
  }

  function keep(records: readonly ZoneRecord[]): void {
    if (file !== undefined) replaceFile(file, JSON.stringify(records, undefined, 2));
    published = [...records];
  }

  refresh();
  return {
    all() {
      refresh();
      return [...fixed, ...published];
    },
    publish(records) {
      refresh();
      const known = new Set([...fixed, ...published].map(identity));
      const fresh = records.map(normalized).filter((record) => {
        const isNew = !known.has(identity(record));
        known.add(identity(record));
        return isNew;
      });
      if (fresh.length > 0) keep([...published, ...fresh]);
    },
    withdraw(name, type) {
      const stays = (record: ZoneRecord): boolean => record.name !== normalName(name) || record.type !== type;
      refresh();
      fixed = fixed.filter(stays);
      keep(published.filter(stays));
    },
  };
}

export function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function normalized(record: ZoneRecord): ZoneRecord {
  return { ...record, name: normalName(record.name) };
}

function identity({ name, type, value }: ZoneRecord): string {
  return JSON.stringify([name, type, value]);
}

function readRecords(file: string): ZoneRecord[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as ZoneRecord[]).map(normalized);
  } catch (cause) {
    throw new Error(`${file} must hold a JSON array of published records; delete it to start without any.`, { cause });
  }
}

/** A new file takes the old one's place in one step, so that a process killed in between leaves one of the two. */
function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  const descriptor = openSync(fresh, 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, file);
}
