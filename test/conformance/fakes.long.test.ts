import { allCases } from '../../src/conformance/cases/all-cases.ts';
import { simulated } from '../../src/conformance/targets/fake-target.ts';
import { casesAtFakes, isLong } from './cases-at-fakes.ts';

casesAtFakes(['resend'], allCases.filter(isLong));
casesAtFakes(
  simulated.filter((provider) => provider !== 'resend'),
  allCases,
);
