// The first start of the runbook. runbook.long.test.ts follows the whole page.
import { tellFirstStart } from './runbook-first-start.ts';
import { useRunbook } from './runbook-world.ts';

useRunbook();
tellFirstStart();
