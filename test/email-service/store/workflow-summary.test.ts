import { afterEach, beforeEach, expect, test } from 'vitest';
import { workflowSummary } from '../../../src/email-service/store/workflow-summary.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

let installation: TestStore;
beforeEach(async () => {
  installation = await openTestStore();
});
afterEach(() => installation.end());

const summaryOf = (type: string, input: Readonly<Record<string, string>>): Promise<string | undefined> =>
  workflowSummary(installation.store, { workflow_type: type, input: JSON.stringify(input) });

const renameAccount = (name: string) => installation.store.updateTable('accounts').set({ name }).execute();

test('names the account, the domain and only the domain of the recipient', async () => {
  const emailId = await installation.email({ recipient: 'secret.person@Example.net' });
  expect(await summaryOf('deliverEmail', { emailId })).toBe('acme: acme.test to Example.net');
  expect(await summaryOf('verifyDomain', { domainId: installation.domainId })).toBe('acme: acme.test');
});

test('escapes Markdown in the name of an account', async () => {
  await renameAccount('[a](http://b.test)');
  const { domainId } = installation;
  expect(await summaryOf('verifyDomain', { domainId })).toBe('\\[a\\](http://b.test): acme.test');
});

test.each(['_', 'é', '😀'])(
  'stays within the 400 bytes that Temporal keeps, for names of 200 times %s',
  async (character) => {
    await renameAccount(character.repeat(200));
    const recipient = `ada@${'_'.repeat(200)}.test`;
    const emailId = await installation.email({ recipient });
    const summary = await summaryOf('deliverEmail', { emailId });
    expect(summary).toContain('…');
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(400);
  },
);

test('is undefined if the database does not have what the Workflow is about', async () => {
  expect(await summaryOf('deliverEmail', { emailId: 'eml_gone' })).toBeUndefined();
  expect(await summaryOf('deliverWebhook', { eventId: 'evt_gone', webhookId: 'whk_gone' })).toBeUndefined();
  expect(await summaryOf('deliverEmail', {})).toBeUndefined();
});
