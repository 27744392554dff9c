import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sealer } from '../../lib/sealing.ts';
import type { Background } from '../background/background-port.ts';
import type { DkimKeyPair } from '../domains/dkim-key-pair.ts';
import type { CreateOnce } from '../idempotency/idempotency.ts';
import type { FindZones } from '../domains/sending-records.ts';
import type { Store } from '../store/open-store.ts';

/** Fastify with requests and answers typed by their TypeBox schemas. */
export type EmailServiceApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What the routes are built from. */
export interface ServiceParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly settings: ServiceSettings;
  readonly background: Background;
  readonly now: () => Date;
  readonly generateDkimKey: () => Promise<DkimKeyPair>;
  /** Resolves within seconds, with the zones that name servers named by then. */
  readonly findZones: FindZones;
  readonly createOnce: CreateOnce;
}

/** A part of EmailServiceConfig. */
export interface ServiceSettings {
  readonly hostname: string;
  readonly spfMechanism: string;
  readonly returnPathLabel: string;
  readonly allowPrivateAddresses: boolean;
}
