export { checkAgentsMdBatchPart } from './check-agents-md-batch-part.ts';
export { announceOutcomeChange } from './announce-outcome-change.ts';
export { checkAgentsMd } from './check-agents-md.ts';
export { checkAgentsMdBatch } from './check-agents-md-batch.ts';
export { sendoffInstallation } from './sendoff-installation.ts';
export { onboardTenant } from './onboard-tenant.ts';
export { watchDomains } from './watch-domains.ts';
