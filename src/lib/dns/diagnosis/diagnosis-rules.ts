import { cacheRules } from './cache-rules.ts';
import type { DiagnosisRule } from './diagnosis-rule.ts';
import type { FindingCode } from './finding.ts';
import { placeRules } from './place-rules.ts';
import { serverRules } from './server-rules.ts';
import { valueRules } from './value-rules.ts';

/** One rule for each code; findings come in this order. */
export const diagnosisRules: Readonly<Record<FindingCode, DiagnosisRule>> = {
  ...serverRules,
  ...placeRules,
  ...valueRules,
  ...cacheRules,
};
