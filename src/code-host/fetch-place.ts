import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { type HostResponse, requestHost, withoutQuery } from './request-host.ts';
import { codeHosts } from '../agents-md/code-hosts.ts';
import type { HostName, HostUrls } from '../agents-md/code-host.ts';
import { measureFile } from '../agents-md/measure-file.ts';
import {
  type FileObservation,
  type CheckedPlace,
  type ResolutionObservation,
  RULE_VERSION,
  nothingRead,
} from '../agents-md/observation.ts';
import { createOriginPauses } from './origin-pauses.ts';
import { ABSENT_STATUSES, resolveRepository } from './resolve-repository.ts';
import { withDeadline } from '../lib/with-deadline.ts';

/** Far above any file a person reads, far below what would trouble a Worker. */
export const FILE_BYTES_MAX = 256 * 1_024;
const ANSWER_TIMEOUT_MS = 10_000;

export interface PlaceRequest {
  readonly host: HostName;
  readonly place: CheckedPlace;
  readonly look: FileObservation['look'];
  /** What the place answered before: its ETag is sent, and 304 means that it still holds. */
  readonly stored: FileObservation | null;
  /** How many redirects may be followed, 0 to 3: each is a request of the check. */
  readonly hopsMax: number;
}

export interface RepositoryRequest {
  readonly host: HostName;
  readonly organization: string;
  /** As in `PlaceRequest`. */
  readonly hopsMax: number;
}

export interface PlaceFetcher {
  /** @throws HostThrottled, HostUnreachable, or what the signal was aborted with */
  fetchPlace(question: PlaceRequest, signal: AbortSignal): Promise<FileObservation>;
  /** Asks which repository is the primary one. @throws as `fetchPlace` */
  resolveRepository(question: RepositoryRequest, signal: AbortSignal): Promise<ResolutionObservation>;
  close(): Promise<void>;
}

/**
 * @param options.contact an address or URL by which a host can reach whoever runs this; part of the User-Agent
 * @param options.urls where a host answers, instead of its public addresses
 * @param options.timeoutMs for a whole answer, its redirects included. @default 10 seconds
 * @param options.now milliseconds since the epoch
 */
export function createPlaceFetcher({
  contact,
  urls = {},
  timeoutMs = ANSWER_TIMEOUT_MS,
  now = Date.now,
}: {
  readonly contact: string;
  readonly urls?: Partial<Record<HostName, HostUrls>>;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}): PlaceFetcher {
  // An Agent of its own knows no proxy of the environment, and an answer that is not read to its end costs no other one.
  const dispatcher = new Agent({ connect: { timeout: timeoutMs }, pipelining: 1 });
  const pauses = createOriginPauses(now);
  const ask = async (name: HostName, signal: AbortSignal, rest: Rest): Promise<HostResponse> => {
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
    }
  };
  const urlsOf = (name: HostName): HostUrls => urls[name] ?? codeHosts[name].urls;

  return {
    async fetchPlace({ host, place, look, stored, hopsMax }, signal) {
      const fileUrl = codeHosts[host].fileUrl(urlsOf(host), place);
      const ifNoneMatch = stored?.etag ?? undefined;
      const asked = { url: fileUrl, ifNoneMatch, hopsMax, accept: 'text/plain', bytesMax: FILE_BYTES_MAX };
      const answer = await ask(host, signal, asked);
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
        ask: (rest) => ask(host, signal, rest),
      }),

    // Not `close`, which would wait for answers that never end.
    close: () => dispatcher.destroy(),
  };
}

interface Rest {
  readonly url: string;
  readonly accept: string;
  readonly bytesMax: number;
  readonly hopsMax: number;
  readonly ifNoneMatch?: string | undefined;
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
  // Inflating what nobody asked to have deflated is how a few bytes become gigabytes.
  const coding = headerText(headers['content-encoding']);
  if (coding !== '' && coding !== 'identity') return unexpected(`content in ${coding}, though identity was asked for`);
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
