import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import type { ErrorAnswer } from '../../provider-error.ts';
import { isCodeOfContract } from './answer-table.ts';
import { resourceIn } from './wire-names.ts';

const CODE = /^[\w.-]{1,64}$/;
/** The fields that may hold the code, besides `code`; of those, only a code of the contract counts. */
export const codeFields = ['error_code', 'error', 'type', 'name', 'reason'] as const;
export const detailFields = ['detail', 'message', 'description', 'title'] as const;

/** The body of an error answer: problem details (RFC 9457), alone or in `error`, `errors` or an envelope. */
export function readProblem(content: unknown): Pick<ErrorAnswer, 'code' | 'detail' | 'requestId' | 'existingId'> {
  const fields = resourceIn(Array.isArray(content) ? content[0] : content) ?? {};
  const { errors } = fields;
  const within = [fields['error'], Array.isArray(errors) ? errors[0] : errors].find(isObject);
  const problem: JsonObject = { ...fields, ...within };
  const word = (field: string): string | undefined => {
    const value = problem[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const direct = word('code');
  const code =
    direct !== undefined && CODE.test(direct)
      ? spelledAsContract(direct)
      : // A type may be a URI that ends with the code.
        codeFields.map((field) => spelledAsContract(word(field)?.split(/[/#:]/).at(-1) ?? '')).find(isCodeOfContract);
  const detail = detailFields.map(word).find((each) => each !== undefined);
  return { code, detail, requestId: word('request_id'), existingId: word('existing_id') };
}

/** The one code that the specification has may be spelled `DOMAIN-NOT-VERIFIED`; another one in capitals may be a proxy's. */
const spelledAsContract = (code: string): string =>
  /^domain[-_]not[-_]verified$/i.test(code) ? 'domain_not_verified' : code;
