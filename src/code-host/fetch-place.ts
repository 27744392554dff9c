import { createHash } from 'node:crypto';
import { Agent, buildConnector } from 'undici';
import { limitAnswers } from '../lib/http/limit-answers.ts';
import { type HostQuestion, type HostResponse, requestHost, withoutQuery } from './request-host.ts';
import { codeHosts } from '../agents-md/code-hosts.ts';
import type { HostName, HostUrls } from '../agents-md/code-host.ts';
import { measureFile } from '../agents-md/measure-file.ts';
import type { NextStep } from '../agents-md/next-step.ts';
import {
  type FileObservation,
  type ResolutionObservation,
  RULE_VERSION,
  nothingRead,
} from '../agents-md/observation.ts';
import type { SharedPauses } from '../agents-md/shared-pauses.ts';
import { createOriginPauses } from './origin-pauses.ts';
import { ABSENT_STATUSES, LISTING_BYTES_MAX, resolveRepository } from './resolve-repository.ts';
import { withDeadline } from '../lib/timing/with-deadline.ts';

/** Far above what a person reads, far below what would strain a Worker. */
export const FILE_BYTES_MAX = 256 * 1_024;
const ANSWER_TIMEOUT_MS = 10_000;

export type PlaceRequest = Omit<Extract<NextStep, { step: 'fetch' }>, 'step' | 'notBefore'>;
export type RepositoryRequest = Omit<Extract<NextStep, { step: 'resolve' }>, 'step'>;

export interface PlaceFetcher {
  /** @throws HostThrottled, HostRefused, HostUnreachable, or the signal's reason */
  fetchPlace(question: PlaceRequest, signal: AbortSignal): Promise<FileObservation>;
  /** Finds the primary repository. @throws as `fetchPlace` */
  resolveRepository(question: RepositoryRequest, signal: AbortSignal): Promise<ResolutionObservation>;
  close(): Promise<void>;
}

/**
 * @param options.contact an email address or URL of the operator, for the User-Agent
 * @param options.urls replace a host's public URLs
 * @param options.timeoutMs for a complete response, redirects included. @default 10 seconds
 * @param options.now milliseconds since the epoch
 * @param options.sharedPauses of all Workers
 */
export function createPlaceFetcher({
  contact,
  sharedPauses,
  urls = {},
  timeoutMs = ANSWER_TIMEOUT_MS,
  now = Date.now,
}: {
  readonly contact: string;
  readonly sharedPauses: SharedPauses;
  readonly urls?: Partial<Record<HostName, HostUrls>>;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}): PlaceFetcher {
  // A dedicated Agent ignores proxy variables, and an aborted response breaks no other request's connection.
  const connect = limitAnswers(buildConnector({ timeout: timeoutMs }), LISTING_BYTES_MAX);
  const dispatcher = new Agent({ connect, pipelining: 1 });
  const pauses = createOriginPauses(now, sharedPauses);
  const send = async (name: HostName, signal: AbortSignal, rest: HostQuestion): Promise<HostResponse> => {
    const asked = {
      ...rest,
      dispatcher,
      host: codeHosts[name],
      urls: urlsOf(name),
      userAgent: `sendoff-agents-md-check (+${contact})`,
      pauses,
      now,
    };
    try {
      return await withDeadline(timeoutMs, (ended) => requestHost({ ...asked, signal: ended }), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      await pauses.saved();
    }
  };
  const urlsOf = (name: HostName): HostUrls => urls[name] ?? codeHosts[name].urls;

  return {
    async fetchPlace({ host, place, look, stored, hopsMax }, signal) {
      const fileUrl = codeHosts[host].fileUrl(urlsOf(host), place);
      const ifNoneMatch = stored?.etag ?? undefined;
      const asked = { url: fileUrl, ifNoneMatch, hopsMax, accept: 'text/plain', bytesMax: FILE_BYTES_MAX };
      const answer = await send(host, signal, asked);
      const observedAt = new Date(now()).toISOString();
      const url = withoutQuery(new URL(fileUrl));
      if (answer.httpStatus === 304 && stored !== null) {
        return { ...stored, place, look, url, redirects: answer.redirects, httpStatus: 304, observedAt };
      }
      return observe({ url, place, look, observedAt }, answer);
    },

    resolveRepository: ({ host, organization, hopsMax }, signal) =>
      resolveRepository({
        rules: codeHosts[host],
        urls: urlsOf(host),
        organization,
        hopsMax,
        now,
        send: (rest) => send(host, signal, rest),
      }),

    // Not `close`, which would wait for responses that never end.
    close: () => dispatcher.destroy(),
  };
}

function observe(
  asked: Pick<FileObservation, 'url' | 'place' | 'look' | 'observedAt'>,
  answer: HostResponse,
): FileObservation {
  const { httpStatus, headers, bytes, truncated, redirects, stoppedAt } = answer;
  const nothing: Omit<FileObservation, 'answer'> = {
    kind: 'file',
    ruleVersion: RULE_VERSION,
    ...asked,
    httpStatus,
    redirects,
    detail: null,
    ...nothingRead,
  };
  if (stoppedAt?.signIn === true) return { ...nothing, answer: 'absent', detail: stoppedAt.detail };
  if (stoppedAt !== null) return { ...nothing, answer: 'redirectBlocked', detail: stoppedAt.detail };
  if (ABSENT_STATUSES.includes(httpStatus)) return { ...nothing, answer: 'absent' };
  const unexpected = (detail: string): FileObservation => ({ ...nothing, answer: 'unexpectedContent', detail });
  if (httpStatus !== 200) return unexpected(`status ${httpStatus}`);
  // Not decompressed: a few bytes could become gigabytes.
  const coding = headerText(headers['content-encoding']);
  if (coding !== '' && coding !== 'identity')
    return unexpected(`content encoding ${coding}, although identity was requested`);
  const type = headerText(headers['content-type']);
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type)) return unexpected('an HTML page');
  const { measurement, notText, symlink, namedFiles, excerpt } = measureFile(bytes, truncated, asked.place.path);
  if (notText !== null) return unexpected(notText);
  const etag = headerText(headers['etag']);
  return {
    ...nothing,
    answer: 'text',
    etag: /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(etag) ? etag : null,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    excerpt,
    measurement,
    symlink,
    namedFiles,
  };
}

const headerText = (header: string | string[] | undefined): string =>
  (typeof header === 'string' ? header : '').slice(0, 300).trim();
