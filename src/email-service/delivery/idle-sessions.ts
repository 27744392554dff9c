import type { SmtpCredentials } from './smtp-login.ts';
import type { SmtpConnection, SmtpEndpoint } from './smtp-connection.ts';

export interface SessionTarget extends SmtpEndpoint {
  readonly credentials?: SmtpCredentials;
}

/** Ready for an envelope. */
export interface SmtpSession {
  readonly connection: SmtpConnection;
  /** By their keyword in upper case: their parameters. */
  readonly extensions: ReadonlyMap<string, string>;
  /** How many the server has accepted. */
  readonly messages: number;
}

/** Sessions that have sent a message and can send another one to the same server. */
export interface IdleSessions {
  /** The session used last with this server, if one is open. */
  readonly take: (target: SessionTarget) => SmtpSession | undefined;
  /** Keeps it for some seconds, or ends it. Call it only after the server has accepted a message. */
  readonly keep: (target: SessionTarget, session: SmtpSession) => void;
  /** Ends all, and keeps no more. */
  readonly close: () => void;
}

/** As Postfix's smtp_connection_cache_time_limit: a longer one would take receivers' slots. */
const IDLE_MAX_MS = 2_000;
/** Exim delivers later ones of a session only when its queue is run (smtp_accept_queue_per_connection). */
const MESSAGES_MAX = 10;
const IDLE_MAX = 100;
/** Receivers limit the connections of one client: Exim accepts 20 of all clients (smtp_accept_max). */
const IDLE_MAX_AT_ADDRESS = 10;

interface Idle {
  readonly server: string;
  readonly address: string;
  readonly session: SmtpSession;
  readonly timer: NodeJS.Timeout;
}

export function createIdleSessions(): IdleSessions {
  /** The one used longest ago first. */
  const idles = new Set<Idle>();
  let isClosed = false;

  function remove(idle: Idle): boolean {
    clearTimeout(idle.timer);
    return idles.delete(idle);
  }

  function drop(idle: Idle | undefined): void {
    if (idle !== undefined && remove(idle)) end(idle.session);
  }

  return {
    take: (target) => {
      const server = serverOf(target);
      const idle = [...idles].findLast((each) => each.server === server);
      if (idle === undefined) return undefined;
      remove(idle);
      return idle.session;
    },
    keep: (target, session) => {
      if (isClosed || session.messages >= MESSAGES_MAX || session.connection.hasNews) {
        end(session);
        return;
      }
      const address = `${target.address} ${String(target.port)}`;
      const timer = setTimeout(() => {
        drop(idle);
      }, IDLE_MAX_MS);
      const idle = { server: serverOf(target), address, session, timer };
      idles.add(idle);
      // Such as a 421, or the end of the connection.
      void session.connection.somethingNew().then(() => {
        drop(idle);
      });
      const atAddress = [...idles].filter((each) => each.address === address);
      if (atAddress.length > IDLE_MAX_AT_ADDRESS) drop(atAddress[0]);
      if (idles.size > IDLE_MAX) drop([...idles][0]);
    },
    close: () => {
      isClosed = true;
      idles.forEach(drop);
    },
  };
}

const end = ({ connection }: SmtpSession): void => {
  connection.close('QUIT\r\n');
};

/** The server whose sessions messages may share: the same host, address, protection and login. */
const serverOf = ({ host, address, port, security, credentials }: SessionTarget): string =>
  JSON.stringify([host, address, port, security, credentials?.user]);
