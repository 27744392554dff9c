import { cacheRules } from './cache-rules.ts';
import type { FindingRule } from './finding-rule.ts';
import type { FindingCode } from './finding.ts';
import { placeRules } from './place-rules.ts';
import { serverRules } from './server-rules.ts';
import { valueRules } from './value-rules.ts';

/** One rule for each code; findings are in this order. */
export const findingRules: Readonly<Record<FindingCode, FindingRule>> = {
  ...serverRules,
  ...placeRules,
  ...valueRules,
  ...cacheRules,
};
