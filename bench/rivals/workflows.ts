import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { makeSixCalls, type SixCalls, type Tenant } from './six-steps.ts';

const regular = proxyActivities<SixCalls>({ startToCloseTimeout: '20 seconds' });
const local = proxyLocalActivities<SixCalls>({ startToCloseTimeout: '20 seconds' });

export async function empty(tenant: Tenant): Promise<string> {
  return tenant.tenantId;
}

export const sixRegular = (tenant: Tenant): Promise<string> => makeSixCalls(regular, tenant);

export const sixLocal = (tenant: Tenant): Promise<string> => makeSixCalls(local, tenant);
