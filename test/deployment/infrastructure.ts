import type { Killable } from './killable.ts';

/** What the programs of a deployment stand on. */
export interface Infrastructure {
  readonly temporal: Killable & { readonly address: string };
  /** Empty on SQLite, and where the server belongs to someone else. */
  readonly postgres: readonly Killable[];
  /** Kills one of PostgreSQL's processes that serve a connection. */
  readonly postgresBackends: readonly Killable[];
  /** URLs of the programs' databases. */
  readonly databases: { readonly orchestrator: string; readonly emailService: string };
  /** Whether several processes of each program can share the databases. They are then migrated by `sendoff migrate`. */
  readonly isShared: boolean;
  stop(): Promise<void>;
}

export const NAMESPACE = 'sendoff';
/** The default beside it. */
export const BACKGROUND_NAMESPACE = 'sendoff-background';
export const EMAIL_SERVICE_NAMESPACE = 'sendoff-email-service';
