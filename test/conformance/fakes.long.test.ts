import { allCases } from '../../src/conformance/cases/all-cases.ts';
import { casesAtFakes, isLong } from './cases-at-fakes.ts';
import { providerNames } from '../../src/onboarding/provider-name.ts';

casesAtFakes(['resend'], allCases.filter(isLong));
casesAtFakes(
  providerNames.filter((provider) => provider !== 'resend'),
  allCases,
);
