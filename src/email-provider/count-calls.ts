import { type Meaning, ProviderError, ProviderUnreachable } from './provider-error.ts';

/** What became of a call. `unreachable`: no usable answer. `credentialRefused`: its credential is not valid. `aborted`: by the caller. */
export type CallMeaning = Meaning | 'ok' | 'unreachable' | 'credentialRefused' | 'aborted' | 'unexpected';

type Call = (...given: unknown[]) => unknown;

/** What a call runs in, such as a span of a trace. */
export type Around = <Result>(call: string, run: () => Result) => Result;

/**
 * The same provider, of which each call is counted when it ends, also of what its methods and fields lead to: `createDomain`,
 * `accounts.open`.
 *
 * @param within the path to it
 */
export const countCalls = <Port extends object>(
  port: Port,
  count: (call: string, meaning: CallMeaning) => void,
  around: Around = (_, run) => run(),
  within = '',
): Port =>
  new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || key === 'facts' || key === 'close') return value;
      if (typeof value === 'object' && value !== null) return countCalls(value, count, around, `${within}${key}.`);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const result = around(within + key, () => (value as Call).apply(target, given));
        if (!(result instanceof Promise))
          return typeof result === 'object' && result !== null ? countCalls(result, count, around, within) : result;
        return result.then(
          (answer: unknown) => {
            count(within + key, 'ok');
            return answer;
          },
          (error: unknown) => {
            count(within + key, given.some(isAborted) ? 'aborted' : meaningOf(error));
            throw error;
          },
        );
      };
    },
  });

const isAborted = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'signal' in given && (given.signal as AbortSignal).aborted;

function meaningOf(error: unknown): CallMeaning {
  if (error instanceof ProviderUnreachable) return 'unreachable';
  if (!(error instanceof ProviderError)) return 'unexpected';
  return error.denies === 'credential' ? 'credentialRefused' : error.meaning;
}
