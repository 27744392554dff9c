import type { Scenario } from '../scenario.ts';
import { measureEmailService } from './email-service.ts';
import { measureOrchestrator } from './orchestrator.ts';

export const growthScenarios: readonly Scenario[] = [
  {
    name: 'growth-emails',
    table: 'Growth: the email service',
    title: 'each call with few and with many rows',
    run: measureEmailService,
  },
  {
    name: 'growth-onboardings',
    table: 'Growth: the orchestrator',
    title: 'each call with few and with many rows',
    run: measureOrchestrator,
  },
];
