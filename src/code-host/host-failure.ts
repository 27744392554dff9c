interface Failed {
  readonly host: string;
  /** Without its query. */
  readonly url: string;
}

/** The host limits the request rate: the request may be repeated later. */
export class HostThrottled extends Error {
  override readonly name = 'HostThrottled';
  readonly url: string;
  readonly retryAfterMs: number;
  /** Who set that time, in words. */
  readonly why: string;

  /** @param failed.because in words: the status of this request, or of an earlier one to the same host */
  constructor({
    host,
    url,
    because,
    retryAfterMs,
    why,
  }: Failed & Pick<HostThrottled, 'retryAfterMs' | 'why'> & { readonly because: string }) {
    super(`${host} limits the request rate (${because})`);
    this.url = url;
    this.retryAfterMs = retryAfterMs;
    this.why = why;
  }
}

/** The host refuses this one URL, without naming a rate limit. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused';
  readonly url: string;

  constructor({ host, url, status }: Failed & { readonly status: string }) {
    super(`${host} refuses access (${status})`);
    this.url = url;
  }
}

/** No response, or a failure of the host itself: the request may be repeated. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  readonly url: string;

  constructor({ host, url, reason }: Failed & { readonly reason: string }) {
    super(`${host}: ${reason}`);
    this.url = url;
  }
}
