import { Client, type ConnectionLike } from '@temporalio/client';
import type { TemporalConfig } from './temporal-config.ts';

export interface ClientPlace {
  readonly connection: ConnectionLike;
  readonly namespace: string;
  /** Required, although it may be undefined: a Client without it cannot read what is encrypted. */
  readonly dataConverter: TemporalConfig['dataConverter'];
}

export const createClient = ({ connection, namespace, dataConverter }: ClientPlace): Client =>
  new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
