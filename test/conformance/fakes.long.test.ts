import { allCases } from '../../src/conformance/cases/all-cases.ts';
import { casesAtFakes, isLong } from './cases-at-fakes.ts';

casesAtFakes(allCases.filter(isLong));
