import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EmailServiceConfig } from '../config.ts';
import type { Background } from '../background/background-port.ts';
import type { NewDomainContext } from '../domains/new-domain.ts';
import type { CreateOnce } from '../idempotency/idempotency.ts';
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
export interface ServiceParts extends NewDomainContext {
  readonly store: Store;
  readonly settings: ServiceSettings;
  readonly background: Background;
  readonly createOnce: CreateOnce;
}

export type ServiceSettings = Pick<
  EmailServiceConfig,
  'hostname' | 'spfMechanism' | 'returnPathLabel' | 'allowPrivateAddresses'
>;
