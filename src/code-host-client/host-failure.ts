/** The host wants fewer requests: the question may be put again, later. */
export class HostThrottled extends Error {
  override readonly name = 'HostThrottled';
  /** Undefined when the host did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(host: string, httpStatus: number, retryAfterMs: number | undefined) {
    super(`${host} asks for fewer requests (status ${httpStatus})`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Nothing was answered, or a failure that is the host's own: the question may be put again. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';

  constructor(host: string, reason: string) {
    super(`${host}: ${reason}`);
  }
}
