interface Failed {
  /** As people call the host. */
  readonly host: string;
  /** What was asked for, without its query. */
  readonly url: string;
}

/** The host wants fewer requests: the question may be put again, later. */
export class HostThrottled extends Error {
  override readonly name = 'HostThrottled';
  readonly url: string;
  readonly retryAfterMs: number;
  /** Where that time comes from, in words. */
  readonly why: string;

  /** @param failed.because in words: the status of this question, or of an earlier one that binds it */
  constructor({
    host,
    url,
    because,
    retryAfterMs,
    why,
  }: Failed & Pick<HostThrottled, 'retryAfterMs' | 'why'> & { readonly because: string }) {
    super(`${host} asks for fewer requests (${because})`);
    this.url = url;
    this.retryAfterMs = retryAfterMs;
    this.why = why;
  }
}

/** The host refuses this one address and does not say that it is about the number of requests. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused';
  readonly url: string;

  constructor({ host, url, status }: Failed & { readonly status: string }) {
    super(`${host} refuses access (${status})`);
    this.url = url;
  }
}

/** Nothing was answered, or a failure that is the host's own: the question may be put again. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  readonly url: string;

  constructor({ host, url, reason }: Failed & { readonly reason: string }) {
    super(`${host}: ${reason}`);
    this.url = url;
  }
}
