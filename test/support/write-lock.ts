import { DatabaseSync } from '@photostructure/sqlite';

/** Holds the write lock of a SQLite file as another program does, until the returned function is called. Throws if another one holds it. */
export function holdWriteLock(path: string): () => void {
  const other = new DatabaseSync(path);
  try {
    other.exec('begin immediate');
  } catch (error) {
    other.close();
    throw error;
  }
  return () => {
    other.exec('commit');
    other.close();
  };
}
