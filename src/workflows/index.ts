import { nothingOr, requiring, withCheckedInput } from '../lib/workflow-waits/with-checked-input.ts';
import { announceOutcomeChange as announce } from './agents-md/announce-outcome-change.ts';
import { checkAgentsMd as check } from './agents-md/check-agents-md.ts';
import { checkProducers as checkDueProducers } from './agents-md/check-producers.ts';
import { onboardTenant as onboard } from './onboarding/onboard-tenant.ts';
import { notifyBackend as notify } from './upkeep/notify-backend.ts';
import { watchDomains as watch } from './upkeep/watch-domains.ts';

// Without an input.
export { applyRetention } from './upkeep/apply-retention.ts';
export { sendoffInstallation } from './upkeep/sendoff-installation.ts';
export { sweepRegister } from './upkeep/sweep-register.ts';

export const onboardTenant = withCheckedInput(onboard);
export const checkAgentsMd = withCheckedInput(check);
export const announceOutcomeChange = withCheckedInput(
  announce,
  requiring({ producerId: 'text', from: 'an object', to: 'an object' }),
);
export const notifyBackend = withCheckedInput(notify, requiring({ tenantId: 'text' }));
export const checkProducers = withCheckedInput(
  checkDueProducers,
  nothingOr(requiring({ host: 'text', dueBy: 'text', findings: 'an object' })),
);
export const watchDomains = withCheckedInput(watch, nothingOr(requiring({ dueBy: 'text', report: 'an object' })));
