import { gauge, type Labels } from './metrics.ts';

export const retentionGauge = gauge<Labels>(
  'sendoff_retention_last_success_timestamp_seconds',
  'When all that was past its retention had last been removed; absent until then.',
);
