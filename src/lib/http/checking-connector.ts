import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy } from '../dns/address-policy.ts';
import { limitAnswers } from './limit-answers.ts';

export interface CheckingConnectorOptions {
  readonly mayConnectTo: AddressPolicy;
  readonly timeoutMs: number;
  /** The maximum size of an answer's content. */
  readonly answerBytesMax: number;
  /** All addresses of a host name. @default the system's resolver */
  readonly lookUp?:
    ((hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>) | undefined;
  /** Certificates to trust instead of the public ones (PEM). */
  readonly trusted?: string | undefined;
}

/** The code of the error for a host without a permitted address. */
export const ADDRESS_REFUSED = 'ERR_ADDRESS_REFUSED';

/**
 * Connects only to permitted addresses. It checks the address that the socket connects to, so a name cannot resolve to a public
 * address for the check and to a private one for the connection.
 */
export function checkingConnector({
  mayConnectTo,
  timeoutMs,
  answerBytesMax,
  lookUp = (hostname: string) => systemLookup(hostname, { all: true }),
  trusted,
}: CheckingConnectorOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    lookUp(hostname).then(
      (all) => {
        const open = all.filter(({ address }) => mayConnectTo(address));
        const [first] = open;
        if (first === undefined) callback(addressRefused(), '', 0);
        else if (lookupOptions.all === true) callback(null, [...open]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '', 0);
      },
    );
  };
  const connect = limitAnswers(
    buildConnector({ timeout: timeoutMs, lookup, ...(trusted === undefined ? {} : { ca: trusted }) }),
    answerBytesMax,
  );
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up, so it is checked here.
    if (isIP(literal) !== 0 && !mayConnectTo(literal)) callback(addressRefused(), null);
    else connect(target, callback);
  };
}

const addressRefused = (): NodeJS.ErrnoException =>
  Object.assign(new Error('The address is not public.'), { code: ADDRESS_REFUSED });
