import { DatabaseSync } from '@photostructure/sqlite';

/** Holds the write lock of a SQLite file as another program does, until the returned function is called. */
export function holdWriteLock(path: string): () => void {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  return () => {
    other.exec('commit');
    other.close();
  };
}
