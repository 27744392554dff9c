import type { Bounce } from '../resources/email.ts';
import { bounceOfReply } from './classify-bounce.ts';
import type { FindMailRoute, MailHost } from './mail-route.ts';
import type { SmtpReply } from './smtp-reply.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { sendOverSmtp, type SessionContext, type SessionMessage, type SessionTarget } from './smtp-session.ts';

/** What one attempt came to. `remoteMta` is the server asked last. */
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
  /** Asked at a recipient's MX hosts. */
  readonly smtpPort: number;
  /** `smtp://` or `smtps://`; takes all mail when set. */
  readonly smtpRelayUrl: string | undefined;
  /**
   * No further server is asked after this. @default 10 minutes: with the longest session after it, 16 minutes, an attempt
   * ends before its Activity's time-out
   */
  readonly askingTimeoutMs?: number;
}

export type DeliverMessage = (
  message: SessionMessage & { readonly attempt: number },
  context: SessionContext,
) => Promise<DeliveryResult>;

const ASKING_TIMEOUT_MS = 10 * 60_000;

/** Default ports: RFC 5321 section 4.5.4.2 and RFC 8314 section 7.3. */
const RELAY_PORT = 25;
const RELAY_TLS_PORT = 465;

/** One delivery attempt: finds the servers, asks them in turn until one has said something about the email. */
export function createDeliverMessage(options: DeliverMessageOptions): DeliverMessage {
  const { smtpRelayUrl, smtpPort, findMailRoute, askingTimeoutMs = ASKING_TIMEOUT_MS } = options;
  if (smtpRelayUrl !== undefined) {
    const relay = relayTarget(new URL(smtpRelayUrl));
    // A relay that wants nothing from this client is set up wrongly here, which is no reason to bounce an email.
    return async (message, context) => (await askInTurn([relay], message, context, askingTimeoutMs)).result;
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
        const { result, refusal } = await askInTurn(targets, message, context, askingTimeoutMs);
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

function relayTarget(url: URL): SessionTarget {
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const credentials = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const hasCredentials = credentials.user !== '';
  return {
    host,
    address: host,
    port: url.port === '' ? (isTls ? RELAY_TLS_PORT : RELAY_PORT) : Number(url.port),
    // A password never travels in plain text, nor to a server that cannot prove its name.
    security: isTls ? 'implicit' : hasCredentials ? 'required' : 'opportunistic',
    ...(hasCredentials ? { credentials } : {}),
  };
}

/** @returns as `refusal` the bounce, when every server refused this client for good before the envelope */
async function askInTurn(
  targets: readonly SessionTarget[],
  message: SessionMessage & { readonly attempt: number },
  context: SessionContext,
  askingTimeoutMs: number,
): Promise<{ readonly result: DeliveryResult; readonly refusal?: DeliveryResult }> {
  const endsAt = performance.now() + askingTimeoutMs;
  const { attempt } = message;
  let deferred: DeliveryResult = {
    kind: 'deferred',
    remoteMta: undefined,
    reply: undefined,
    diagnostic: 'No server was asked.',
  };
  const refusals: DeliveryResult[] = [];
  for (const target of targets) {
    const outcome = await askOne(target, message, context);
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
 * Opportunistic security (RFC 7435 section 3): a failed handshake must not make delivery worse than no STARTTLS would have,
 * and who can break the handshake could have hidden the offer. So the same server is asked once more in plain text.
 */
async function askOne(
  target: SessionTarget,
  message: SessionMessage,
  context: SessionContext,
): Promise<SessionOutcome> {
  const outcome = await sendOverSmtp(target, message, context);
  const fallBack = outcome.kind === 'unusable' && outcome.tlsFailed && target.security === 'opportunistic';
  return fallBack ? sendOverSmtp({ ...target, security: 'none' }, message, context) : outcome;
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
