// The beginning of the runbook. runbook.long.test.ts follows the whole page.
import { tellRunbookBeginning } from './runbook-beginning.ts';
import { useRunbook } from './runbook-world.ts';

useRunbook();
tellRunbookBeginning();
