import { cacheRules } from './cache-rules.ts';
import { placeRules } from './place-rules.ts';
import { serverRules } from './server-rules.ts';
import { valueRules } from './value-rules.ts';

/** One rule for each code; findings are in this order. */
export const findingRules = { ...serverRules, ...placeRules, ...valueRules, ...cacheRules };
