// A Workflow, because it needs no permission that Temporal Cloud withholds.
import { condition, setCurrentDetails } from '@temporalio/workflow';

/**
 * Reserves the Namespace for one installation, whose id is in the memo. A running Workflow outlives the Namespace's
 * retention, and Temporal allows only one with this id.
 */
export async function sendoffInstallation(): Promise<void> {
  setCurrentDetails(
    'Reserves this Namespace for one sendoff installation: servers and Workers with another database refuse to start, and those that run start it again. ' +
      'To switch to another database, stop them and terminate this Workflow.',
  );
  await condition(() => false);
}
