export { onboardTenant } from './onboard-tenant.ts';
