import { ProviderError, type ErrorAnswer } from '../../provider-error.ts';
import { meaningOf, UNREADABLE } from './answer-table.ts';

/** @param call `GET /domains/dom_1` */
export function errorAnswer(
  call: string,
  answer: Omit<ErrorAnswer, 'meaning' | 'mayHaveActed' | 'denies'>,
): ProviderError {
  const { httpStatus, code } = answer;
  const meaning = meaningOf(call, httpStatus, code);
  const denies = httpStatus === 401 ? 'credential' : [403, 404].includes(httpStatus) ? 'access' : undefined;
  return new ProviderError(call, {
    ...answer,
    meaning,
    mayHaveActed: httpStatus >= 500 || meaning === 'unread',
    denies,
  });
}

/** A creation that succeeded, with an answer that cannot be read: each repetition may create another resource. */
export const unreadable = (call: string, reason: string): ProviderError =>
  errorAnswer(call, { httpStatus: 200, code: UNREADABLE, detail: reason });

/** A call that the provider cannot carry out, so that it is not sent. */
export const withoutCall = (call: string, reason: string): ProviderError =>
  errorAnswer(call, { httpStatus: 501, detail: reason });
