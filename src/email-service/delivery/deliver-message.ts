import { splitAddress } from '../../lib/mail-rules/mail-address-fault.ts';
import type { DomainTls } from '../resources/domain.ts';
import type { AttemptTls, Bounce } from '../resources/email.ts';
import { bounceOfReply } from './classify-bounce.ts';
import { createIdleSessions, type IdleSessions, type SessionTarget } from './idle-sessions.ts';
import type { FindMailRoute, MailHost } from './mail-route.ts';
import { sandboxResult } from './sandbox.ts';
import type { SmtpReply } from './smtp-reply.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { sendOverSmtp, type SentOutcome, type SessionContext, type SessionMessage } from './smtp-session.ts';

/** The outcome of one attempt. `remoteMta` is the server tried last, and `tls` how the connection to it was encrypted. */
export type DeliveryResult = { readonly tls?: AttemptTls | undefined } & (
  | { readonly kind: 'delivered'; readonly remoteMta: string; readonly reply: SmtpReply }
  | { readonly kind: 'bounced'; readonly bounce: Bounce; readonly remoteMta: string | undefined }
  | {
      readonly kind: 'deferred';
      readonly remoteMta: string | undefined;
      readonly reply: SmtpReply | undefined;
      readonly diagnostic: string;
    }
  | { readonly kind: 'unknown'; readonly remoteMta: string; readonly diagnostic: string }
);

export interface DeliveryTarget extends SessionTarget {
  readonly policy: AttemptTls['policy'];
  /** The policy or domain that requires the security, for errors. */
  readonly requiredBy?: string;
}

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
  /** Certificates to trust instead of the public ones (PEM), for tests. */
  readonly trusted?: string | undefined;
}

type MessageToDeliver = SessionMessage & { readonly attempt: number; readonly tls: DomainTls };

export type DeliverMessage = (message: MessageToDeliver, context: SessionContext) => Promise<DeliveryResult>;

const TRY_SERVERS_TIMEOUT_MS = 10 * 60_000;

/** Default ports: RFC 5321 section 4.5.4.2 and RFC 8314 section 7.3. */
const RELAY_PORT = 25;
const RELAY_TLS_PORT = 465;

/** One delivery attempt: finds the servers and tries them in turn until one accepts or refuses the email. */
export function createDeliverMessage(options: DeliverMessageOptions): DeliverMessage {
  const deliver = createDeliverOverSmtp(options);
  return async (message, context) => sandboxResult(message) ?? deliver(message, context);
}

function createDeliverOverSmtp(options: DeliverMessageOptions): DeliverMessage {
  const { smtpRelayUrl, findMailRoute } = options;
  const { tryServersTimeoutMs = TRY_SERVERS_TIMEOUT_MS, idleSessions = createIdleSessions() } = options;
  const trying = { tryServersTimeoutMs, idleSessions };
  if (smtpRelayUrl !== undefined) {
    const relay = relayTarget(new URL(smtpRelayUrl));
    // A relay that refuses this client is misconfigured here, which is no reason to bounce an email.
    return async (message, context) =>
      (await tryInTurn([message.tls === 'required' ? withRequiredTls(relay) : relay], message, context, trying)).result;
  }
  return async (message, context) => {
    const { domain } = splitAddress(message.recipient);
    const route = await findMailRoute(domain);
    switch (route.kind) {
      case 'none':
        return { kind: 'bounced', bounce: route.bounce(message.attempt), remoteMta: undefined };
      case 'unknown':
        return { kind: 'deferred', remoteMta: undefined, reply: undefined, diagnostic: route.diagnostic };
      case 'hosts': {
        const enforcedBy = route.enforced === true ? domain : undefined;
        const targets = route.hosts.map((host) => mxTarget(host, { tls: message.tls, enforcedBy }, options));
        const { result, refusal } = await tryInTurn(targets, message, context, trying);
        return refusal ?? result;
      }
    }
  };
}

function mxTarget(
  { name, address }: MailHost,
  { tls, enforcedBy }: { readonly tls: DomainTls; readonly enforcedBy: string | undefined },
  { smtpPort, trusted }: DeliverMessageOptions,
): DeliveryTarget {
  const target = {
    host: name,
    address,
    port: smtpPort,
    trusted,
    security: 'opportunistic',
    policy: 'opportunistic',
  } as const;
  if (enforcedBy !== undefined)
    return { ...target, security: 'required', policy: 'mta-sts', requiredBy: `the MTA-STS policy of ${enforcedBy}` };
  return tls === 'required' ? withRequiredTls(target) : target;
}

const withRequiredTls = (target: DeliveryTarget): DeliveryTarget => ({
  ...target,
  security: target.security === 'implicit' ? 'implicit' : 'required',
  policy: 'required',
  requiredBy: 'the sending domain',
});

/** @param url `smtp:` or `smtps:` */
export function relayTarget(url: URL): DeliveryTarget {
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const credentials = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const hasCredentials = credentials.user !== '';
  return {
    host,
    address: host,
    policy: isTls || hasCredentials ? 'required' : 'opportunistic',
    port: url.port === '' ? (isTls ? RELAY_TLS_PORT : RELAY_PORT) : Number(url.port),
    // A password is never sent in plain text, nor to a server without a valid certificate.
    security: isTls ? 'implicit' : hasCredentials ? 'required' : 'opportunistic',
    ...(hasCredentials ? { credentials } : {}),
  };
}

/** @returns `refusal`: the bounce, if every server permanently refused this client before the envelope */
async function tryInTurn(
  targets: readonly DeliveryTarget[],
  message: MessageToDeliver,
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
    const tls = outcome.tls === undefined ? undefined : { ...outcome.tls, policy: target.policy };
    if (outcome.kind !== 'unusable') return { result: { ...resultOf(outcome, remoteMta, attempt), tls } };
    const { reply, refusedCommand: command } = outcome;
    deferred = { kind: 'deferred', remoteMta, reply, diagnostic: diagnosticOf(outcome, target), tls };
    if (reply !== undefined && command !== undefined) {
      refusals.push({ kind: 'bounced', remoteMta, tls, bounce: bounceOfReply({ reply, command, remoteMta, attempt }) });
    }
    if (context.signal.aborted || performance.now() >= endsAt) break;
  }
  const [refusal] = refusals;
  const isUnanimous = refusals.length === targets.length;
  return { result: deferred, ...(isUnanimous && refusal !== undefined ? { refusal } : {}) };
}

const diagnosticOf = (
  { diagnostic, tlsFailed }: Extract<SessionOutcome, { kind: 'unusable' }>,
  { requiredBy }: DeliveryTarget,
): string =>
  tlsFailed && requiredBy !== undefined ? `Not sent, because ${requiredBy} requires TLS: ${diagnostic}` : diagnostic;

/**
 * Opportunistic security (RFC 7435 section 3): a failed handshake must not make delivery worse than no STARTTLS would, and an
 * attacker who can break the handshake could also hide the offer. So the same server is tried again in plain text.
 */
async function tryOne(
  target: DeliveryTarget,
  message: SessionMessage,
  context: SessionContext,
  idleSessions: IdleSessions,
): Promise<SentOutcome> {
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
