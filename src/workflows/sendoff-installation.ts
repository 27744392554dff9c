import { condition, setCurrentDetails } from '@temporalio/workflow';

/**
 * Reserves the Namespace for one installation, whose id is in the memo. A running Workflow outlives the Namespace's
 * retention, and Temporal allows only one with this id.
 */
export async function sendoffInstallation(): Promise<void> {
  setCurrentDetails(
    'Reserves this Namespace for one sendoff installation: servers and Workers with another database refuse to start. ' +
      'To switch to another database, terminate this Workflow.',
  );
  await condition(() => false);
}
