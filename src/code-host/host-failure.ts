interface Failed {
  readonly host: string;
  /** Without its query. */
  readonly url: string;
  /** In words. */
  readonly because: string;
}

/** A request that a code host has not answered. */
export abstract class HostFailure extends Error {
  readonly url: string;

  constructor({ url }: Failed, message: string) {
    super(message);
    this.url = url;
  }
}

/** The host limits the request rate: the request may be repeated later. */
export class HostThrottled extends HostFailure {
  override readonly name = 'HostThrottled';
  readonly retryAfterMs: number;
  /** Who set that time, in words. */
  readonly why: string;

  /** @param failed.because the status of this request, or of an earlier one to the same host */
  constructor(failed: Failed & Pick<HostThrottled, 'retryAfterMs' | 'why'>) {
    super(failed, `${failed.host} limits the request rate (${failed.because})`);
    this.retryAfterMs = failed.retryAfterMs;
    this.why = failed.why;
  }
}

/** The host refuses this one URL, without naming a rate limit. */
export class HostRefused extends HostFailure {
  override readonly name = 'HostRefused';

  constructor(failed: Failed) {
    super(failed, `${failed.host} refuses access (${failed.because})`);
  }
}

/** No response, or a failure of the host itself: the request may be repeated. */
export class HostUnreachable extends HostFailure {
  override readonly name = 'HostUnreachable';

  constructor(failed: Failed) {
    super(failed, `${failed.host}: ${failed.because}`);
  }
}
