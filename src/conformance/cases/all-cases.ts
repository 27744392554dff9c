import type { ConformanceCase, Group, GroupCase } from '../conformance-case.ts';
import { brokenCases, limitCases, secretCases, undoCases } from './faults.ts';
import { deliverCases, keyCases } from './key-and-deliver.ts';
import { domainCases, ownCases } from './own-and-domain.ts';
import { onceCases, wholeCases } from './whole-and-once.ts';

/** In the order of the report. */
const groups: Readonly<Record<Group, readonly GroupCase[]>> = {
  whole: wholeCases,
  once: onceCases,
  own: ownCases,
  domain: domainCases,
  key: keyCases,
  deliver: deliverCases,
  limits: limitCases,
  broken: brokenCases,
  undo: undoCases,
  secret: secretCases,
};

export const allCases: readonly ConformanceCase[] = Object.entries(groups).flatMap(([group, cases]) =>
  cases.map((one) => ({ ...one, group: group as Group })),
);
