import { condition, setCurrentDetails } from '@temporalio/workflow';

/**
 * Runs for as long as its Namespace belongs to one installation; the id is in its memo. A running Workflow outlives the
 * Namespace's retention, and Temporal itself allows only one of its id.
 */
export async function sendoffInstallation(): Promise<void> {
  setCurrentDetails(
    'Marks this Namespace as that of one sendoff installation: servers and Workers with another database refuse to start. ' +
      'To use another database from now on, terminate this Workflow.',
  );
  await condition(() => false);
}
