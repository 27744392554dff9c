import type { Bounce } from '../resources/email.ts';
import { bounceOfReply } from './classify-bounce.ts';
import { createIdleSessions, type IdleSessions, type SessionTarget } from './idle-sessions.ts';
import type { FindMailRoute, MailHost } from './mail-route.ts';
import type { SmtpReply } from './smtp-reply.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { sendOverSmtp, type SessionContext, type SessionMessage } from './smtp-session.ts';

/** The outcome of one attempt. `remoteMta` is the server tried last. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly remoteMta: string; readonly reply: SmtpReply }
  | { readonly kind: 'bounced'; readonly bounce: Bounce; readonly remoteMta: string | undefined }
  | {
      readonly kind: 'deferred';
      readonly remoteMta: string | undefined;
      readonly reply: SmtpReply | undefined;
      readonly diagnostic: string;
    }
  | { readonly kind: 'unknown'; readonly remoteMta: string; readonly diagnostic: string };

export interface DeliverMessageOptions {
  readonly findMailRoute: FindMailRoute;
  /** The port of the recipients' MX hosts. */
  readonly smtpPort: number;
  /** `smtp://` or `smtps://`; if set, it receives all mail. */
  readonly smtpRelayUrl: string | undefined;
  /**
   * No further server is tried after this. @default 10 minutes: together with the longest session, 17 minutes, an attempt
   * ends before its Activity times out
   */
  readonly tryServersTimeoutMs?: number;
  /** Close it when no more messages are delivered. */
  readonly idleSessions?: IdleSessions;
}

export type DeliverMessage = (
  message: SessionMessage & { readonly attempt: number },
  context: SessionContext,
) => Promise<DeliveryResult>;

const TRY_SERVERS_TIMEOUT_MS = 10 * 60_000;

/** Default ports: RFC 5321 section 4.5.4.2 and RFC 8314 section 7.3. */
const RELAY_PORT = 25;
const RELAY_TLS_PORT = 465;

/** One delivery attempt: finds the servers and tries them in turn until one accepts or refuses the email. */
export function createDeliverMessage(options: DeliverMessageOptions): DeliverMessage {
  const { smtpRelayUrl, smtpPort, findMailRoute } = options;
  const { tryServersTimeoutMs = TRY_SERVERS_TIMEOUT_MS, idleSessions = createIdleSessions() } = options;
  const trying = { tryServersTimeoutMs, idleSessions };
  if (smtpRelayUrl !== undefined) {
    const relay = relayTarget(new URL(smtpRelayUrl));
    // A relay that refuses this client is misconfigured here, which is no reason to bounce an email.
    return async (message, context) => (await tryInTurn([relay], message, context, trying)).result;
  }
  return async (message, context) => {
    const route = await findMailRoute(message.recipient.slice(message.recipient.lastIndexOf('@') + 1));
    switch (route.kind) {
      case 'none':
        return { kind: 'bounced', bounce: route.bounce(message.attempt), remoteMta: undefined };
      case 'unknown':
        return { kind: 'deferred', remoteMta: undefined, reply: undefined, diagnostic: route.diagnostic };
      case 'hosts': {
        const targets = route.hosts.map((host) => mxTarget(host, smtpPort));
        const { result, refusal } = await tryInTurn(targets, message, context, trying);
        return refusal ?? result;
      }
    }
  };
}

const mxTarget = ({ name, address }: MailHost, port: number): SessionTarget => ({
  host: name,
  address,
  port,
  security: 'opportunistic',
});

/** @param url `smtp:` or `smtps:` */
export function relayTarget(url: URL): SessionTarget {
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const credentials = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const hasCredentials = credentials.user !== '';
  return {
    host,
    address: host,
    port: url.port === '' ? (isTls ? RELAY_TLS_PORT : RELAY_PORT) : Number(url.port),
    // A password is never sent in plain text, nor to a server without a valid certificate.
    security: isTls ? 'implicit' : hasCredentials ? 'required' : 'opportunistic',
    ...(hasCredentials ? { credentials } : {}),
  };
}

/** @returns `refusal`: the bounce, if every server permanently refused this client before the envelope */
async function tryInTurn(
  targets: readonly SessionTarget[],
  message: SessionMessage & { readonly attempt: number },
  context: SessionContext,
  { tryServersTimeoutMs, idleSessions }: Required<Pick<DeliverMessageOptions, 'tryServersTimeoutMs' | 'idleSessions'>>,
): Promise<{ readonly result: DeliveryResult; readonly refusal?: DeliveryResult }> {
  const endsAt = performance.now() + tryServersTimeoutMs;
  const { attempt } = message;
  let deferred: DeliveryResult = {
    kind: 'deferred',
    remoteMta: undefined,
    reply: undefined,
    diagnostic: 'No server was tried.',
  };
  const refusals: DeliveryResult[] = [];
  for (const target of targets) {
    const outcome = await tryOne(target, message, context, idleSessions);
    const { host: remoteMta } = target;
    if (outcome.kind !== 'unusable') return { result: resultOf(outcome, remoteMta, attempt) };
    const { reply, diagnostic, refusedCommand: command } = outcome;
    deferred = { kind: 'deferred', remoteMta, reply, diagnostic };
    if (reply !== undefined && command !== undefined) {
      refusals.push({ kind: 'bounced', remoteMta, bounce: bounceOfReply({ reply, command, remoteMta, attempt }) });
    }
    if (context.signal.aborted || performance.now() >= endsAt) break;
  }
  const [refusal] = refusals;
  const isUnanimous = refusals.length === targets.length;
  return { result: deferred, ...(isUnanimous && refusal !== undefined ? { refusal } : {}) };
}

/**
 * Opportunistic security (RFC 7435 section 3): a failed handshake must not make delivery worse than no STARTTLS would, and an
 * attacker who can break the handshake could also hide the offer. So the same server is tried again in plain text.
 */
async function tryOne(
  target: SessionTarget,
  message: SessionMessage,
  context: SessionContext,
  idleSessions: IdleSessions,
): Promise<SessionOutcome> {
  const outcome = await sendOverSmtp(target, message, context, idleSessions);
  const fallBack = outcome.kind === 'unusable' && outcome.tlsFailed && target.security === 'opportunistic';
  return fallBack ? sendOverSmtp({ ...target, security: 'none' }, message, context, idleSessions) : outcome;
}

function resultOf(
  outcome: Exclude<SessionOutcome, { kind: 'unusable' }>,
  remoteMta: string,
  attempt: number,
): DeliveryResult {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'delivered', remoteMta, reply: outcome.reply };
    case 'replyLost':
      return { kind: 'unknown', remoteMta, diagnostic: outcome.diagnostic };
    case 'refused': {
      const { reply, command } = outcome;
      if (reply.replyCode < 500) return { kind: 'deferred', remoteMta, reply, diagnostic: reply.text };
      return { kind: 'bounced', remoteMta, bounce: bounceOfReply({ reply, command, remoteMta, attempt }) };
    }
  }
}
