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
/** Many receivers end a session after some hundred messages. */
const MESSAGES_MAX = 100;
const IDLE_MAX = 200;
/** As many as a destination may have under way, for two accounts. */
const IDLE_MAX_FOR_ONE = 20;

interface Idle {
  readonly session: SmtpSession;
  readonly timer: NodeJS.Timeout;
}

export function createIdleSessions(): IdleSessions {
  /** By their server, the one used longest ago first. */
  const byServer = new Map<string, Idle[]>();
  let count = 0;
  let isClosed = false;

  function remove(server: string, idle: Idle): void {
    const left = (byServer.get(server) ?? []).filter((each) => each !== idle);
    if (left.length === 0) byServer.delete(server);
    else byServer.set(server, left);
    clearTimeout(idle.timer);
    count -= 1;
  }

  return {
    take: (target) => {
      const server = serverOf(target);
      for (;;) {
        const idle = byServer.get(server)?.at(-1);
        if (idle === undefined) return undefined;
        remove(server, idle);
        // Such as a 421, or the end of the connection.
        if (!idle.session.connection.hasNews) return idle.session;
        end(idle.session);
      }
    },
    keep: (target, session) => {
      const server = serverOf(target);
      const idleThere = byServer.get(server) ?? [];
      const isFull = isClosed || count >= IDLE_MAX || idleThere.length >= IDLE_MAX_FOR_ONE;
      if (isFull || session.messages >= MESSAGES_MAX || session.connection.hasNews) {
        end(session);
        return;
      }
      const timer = setTimeout(() => {
        remove(server, idle);
        end(session);
      }, IDLE_MAX_MS);
      const idle = { session, timer };
      byServer.set(server, [...idleThere, idle]);
      count += 1;
    },
    close: () => {
      isClosed = true;
      for (const [server, idles] of byServer)
        for (const idle of idles) {
          remove(server, idle);
          end(idle.session);
        }
    },
  };
}

const end = ({ connection }: SmtpSession): void => {
  connection.close('QUIT\r\n');
};

/** What a message may share a session with: the same host, address, protection and login. */
const serverOf = ({ host, address, port, security, credentials }: SessionTarget): string =>
  JSON.stringify([host, address, port, security, credentials?.user]);
