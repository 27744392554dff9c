import { Client, type ClientOptions, type ConnectionLike } from '@temporalio/client';
import type { TemporalConfig } from './temporal-config.ts';

export interface ClientPlace {
  readonly connection: ConnectionLike;
  readonly namespace: string;
  /** Required, although it may be undefined: a Client without it cannot read what is encrypted. */
  readonly dataConverter: TemporalConfig['dataConverter'];
  readonly interceptors?: ClientOptions['interceptors'];
}

export const createClient = ({ connection, namespace, dataConverter, interceptors = {} }: ClientPlace): Client =>
  new Client({ connection, namespace, interceptors, ...(dataConverter && { dataConverter }) });
