import type { ConformanceCase } from '../conformance-case.ts';
import { brokenCases, limitCases, secretCases, undoCases } from './faults.ts';
import { deliverCases, keyCases } from './key-and-deliver.ts';
import { domainCases, ownCases } from './own-and-domain.ts';
import { onceCases, wholeCases } from './whole-and-once.ts';

/** In the order of the report. */
export const allCases: readonly ConformanceCase[] = [
  ...wholeCases,
  ...onceCases,
  ...ownCases,
  ...domainCases,
  ...keyCases,
  ...deliverCases,
  ...limitCases,
  ...brokenCases,
  ...undoCases,
  ...secretCases,
];
