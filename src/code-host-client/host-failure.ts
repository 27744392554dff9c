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
  /** Undefined when the host did not say. */
  readonly retryAfterMs: number | undefined;

  /** @param failed.status in words: that of this question, or of an earlier one that binds it */
  constructor({
    host,
    url,
    status,
    retryAfterMs,
  }: Failed & { readonly status: string; readonly retryAfterMs: number | undefined }) {
    super(`${host} asks for fewer requests (${status})`);
    this.url = url;
    this.retryAfterMs = retryAfterMs;
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
