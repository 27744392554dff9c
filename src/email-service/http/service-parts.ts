import type { EmailServiceConfig } from '../config.ts';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import type { Authenticate } from '../auth/authentication.ts';
import type { Background } from '../background/background-port.ts';
import type { NewDomainContext } from '../domains/new-domain.ts';
import type { CreateOnce } from '../idempotency/idempotency.ts';
import type { Store } from '../store/open-store.ts';

export type EmailServiceApp = HttpApp;

/** The dependencies of the routes. */
export interface ServiceParts extends NewDomainContext {
  readonly store: Store;
  readonly settings: ServiceSettings;
  readonly background: Background;
  readonly authenticate: Authenticate;
  readonly createOnce: CreateOnce;
  /** How long a request waits for the turn of its large body. @default 10 seconds */
  readonly largeBodyWaitMs?: number;
}

type ServiceSettings = Pick<
  EmailServiceConfig,
  | 'hostname'
  | 'spfMechanism'
  | 'returnPathLabel'
  | 'allowPrivateAddresses'
  | 'blockedNetworks'
  | 'allowReservedNames'
  | 'sendingLimits'
  | 'attachmentBytesMax'
>;
