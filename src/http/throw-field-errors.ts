import { type FieldError, refuseIfAny } from '../lib/http/problem.ts';

/** A fault that the rules of onboardings and checks find; `field` is a path such as `producers[2].host`. */
export interface FieldFault {
  readonly field: string;
  /** @default 'invalid' */
  readonly code?: string;
  /** A sentence: what was expected and what was found. */
  readonly problem: string;
}

/** Throws the 422 response with every fault, unless there is none. */
export const throwFieldErrors = (faults: readonly FieldFault[]): void => {
  refuseIfAny(faults.map(fieldError));
};

const fieldError = ({ field, code = 'invalid', problem }: FieldFault): FieldError => ({
  pointer: `/${field.replaceAll(']', '').replaceAll(/[.[]/g, '/')}`,
  code,
  detail: `${field} ${problem}${problem.endsWith('.') ? '' : '.'}`,
});
