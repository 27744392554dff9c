// The steps of an onboarding and the waits between them, in their order: the one list of them. Stages, ids, records, inputs, texts and the
// undo derive from it, so CONTRIBUTING's "Add a step" begins with a row here.
import type { Patch } from '../lib/temporal/patches.ts';
import { attentionOf } from './attention.ts';
import type { DnsRecord } from './dns-record.ts';
import type { OnboardTenantInput } from './input.ts';
import type { ProviderName } from './provider-name.ts';

/** The fields of an Onboarding that texts and inputs use. */
export type Subject = Pick<OnboardTenantInput, 'tenantId' | 'domain' | 'fromAddress' | 'fromName'> & {
  readonly recipient: string;
  readonly records: readonly DnsRecord[];
  readonly ownKeyId?: string;
};

type Text = (subject: Subject) => string;

interface Wait {
  /** The stage that begins with it and lasts until the next row's. */
  readonly stage: string;
  /** In the progress list of the command line. */
  readonly title: string;
  /** In the list of Current Details; absent for what a person need not follow. */
  readonly result?: string;
  /** The end of "Waits for", in Current Details. */
  readonly waitsFor: Text;
}

interface Step extends Wait {
  /** The name of its Activity. */
  readonly step: string;
  /** In the Temporal UI. */
  readonly summary: Text;
  /** The input of its Activity and its undo, besides StepInput. */
  readonly input?: (subject: Subject) => object;
  /** The name of what it creates, in the undo report. */
  readonly resource: string;
  /** The field of its result, and of the Onboarding, with the id of what it creates. */
  readonly id: string;
  /** Other fields of its result that the register keeps. */
  readonly keeps?: readonly string[];
  /** The list of the email service's API that has what it creates. */
  readonly listedIn: string;
  /** Providers that have nothing of the kind: it asks them for nothing, and need not wait for their pace. */
  readonly idleAt?: readonly ProviderName[];
  /** The patch that adds it, absent for the steps of 0.1.0: an onboarding that begins while it is inactive goes without the step to its end. */
  readonly since?: Patch & { readonly patch: string };
  /** The Activity that undoes it; absent if nothing can, and then the undo report keeps it for these reasons. */
  readonly undoneBy?: string;
  readonly keptBecause?: { readonly created: string; readonly unanswered: string; readonly unread: string };
  readonly undoSummary?: Text;
  /** Kept by the ends that keep the domain, so that the tenant's DNS values stay valid for the next onboarding. */
  readonly keptWithDomain?: true;
}

export const steps = [
  {
    step: 'issueApiKey',
    stage: 'issuingKey',
    title: 'Create an API key',
    result: 'API key',
    waitsFor: () => 'the provider to create an API key',
    summary: ({ tenantId }) => `Create an API key for ${tenantId}`,
    input: ({ ownKeyId }) => (ownKeyId === undefined ? {} : { ownKeyId }),
    resource: 'API key',
    id: 'keyId',
    listedIn: 'api-keys',
    keeps: ['ownKeyId'],
    idleAt: ['resend'],
    undoneBy: 'revokeApiKey',
    undoSummary: ({ tenantId }) => `Revoke the API key of ${tenantId}`,
  },
  {
    step: 'registerWebhook',
    stage: 'registeringWebhook',
    title: 'Register a webhook',
    waitsFor: () => 'the provider to register a webhook',
    summary: ({ tenantId }) => `Register a webhook for ${tenantId}`,
    resource: 'Webhook',
    id: 'webhookId',
    listedIn: 'webhooks',
    idleAt: ['resend', 'ses'],
    undoneBy: 'deleteWebhook',
    undoSummary: ({ tenantId }) => `Delete the webhook of ${tenantId}`,
  },
  {
    step: 'registerDomain',
    stage: 'registeringDomain',
    title: 'Register the sending domain',
    result: 'Domain registered',
    waitsFor: ({ domain }) => `the provider to register ${domain}`,
    summary: ({ domain }) => `Register ${domain}`,
    input: ({ domain }) => ({ domain }),
    resource: 'Domain',
    id: 'domainId',
    listedIn: 'domains',
    keeps: ['records'],
    undoneBy: 'deleteDomain',
    undoSummary: ({ domain }) => `Delete the domain ${domain}`,
    keptWithDomain: true,
  },
  {
    stage: 'awaitingDomain',
    title: 'Wait until the domain is verified',
    result: 'Domain verified',
    waitsFor: ({ domain, records }) =>
      `the tenant to ${attentionOf(records) === null ? 'publish' : 'correct'} the DNS records of ${domain}`,
  },
  {
    step: 'createSender',
    stage: 'creatingSender',
    title: 'Create a sender',
    result: 'Sender created',
    waitsFor: ({ fromAddress }) => `the provider to create the sender ${fromAddress}`,
    summary: ({ fromAddress }) => `Create the sender ${fromAddress}`,
    input: ({ fromAddress, fromName }) => ({ fromAddress, ...(fromName !== undefined && { fromName }) }),
    resource: 'Sender',
    id: 'senderId',
    listedIn: 'senders',
    undoneBy: 'deleteSender',
    undoSummary: ({ fromAddress }) => `Delete the sender ${fromAddress}`,
    keptWithDomain: true,
  },
  {
    step: 'sendFirstEmail',
    stage: 'sendingFirstEmail',
    title: 'Send the first email',
    result: 'First email sent',
    waitsFor: () => 'the provider to accept the first email',
    summary: ({ recipient }) => `Send the first email to ${recipient}`,
    input: ({ fromAddress, fromName }) => ({ fromAddress, ...(fromName !== undefined && { fromName }) }),
    resource: 'First email',
    id: 'emailId',
    listedIn: 'emails',
    keptBecause: {
      created: 'an accepted email cannot be undone',
      unanswered: "the provider's response was lost, so it may have accepted the email",
      unread: "the provider's response cannot be read, so it may have accepted the email",
    },
  },
  {
    stage: 'awaitingDelivery',
    title: 'Wait until it is delivered',
    result: 'Delivery confirmed',
    waitsFor: ({ recipient }) => `the mail server of ${recipient} to accept the email`,
  },
] as const satisfies readonly (Wait | Step)[];

export type StageRow = (typeof steps)[number];
export type StepRow = Extract<StageRow, { step: string }>;
export type UndoableRow = Extract<StageRow, { undoneBy: string }>;

export type StepName = StepRow['step'];

/** The id of what each step created; null while its answer has not arrived. */
export type CreatedIds = Record<StepRow['id'], string | null>;

/** The fields of a step's result that the record keeps. */
export type KeptField<Of extends StepRow = StepRow> =
  Of['id'] | (Of extends { keeps: readonly (infer Field)[] } ? Field : never);

/** See `input` of a row. */
export type OwnInput<Of extends StepRow> = Of extends { input: (subject: Subject) => infer Own } ? Own : object;

export const stepRows: readonly StepRow[] = steps.filter((row) => 'step' in row);
export const undoableRows: readonly UndoableRow[] = stepRows.filter((row) => 'undoneBy' in row);

export const rowOf = <Name extends StepName>(step: Name) =>
  stepRows.find((row) => row.step === step) as Extract<StepRow, { step: Name }>;

/** Reads a field that not every row has. */
const stepOf = (step: StepName): Step => rowOf(step);

export const asksNothing = (provider: ProviderName | undefined, step: StepName): boolean =>
  provider !== undefined && stepOf(step).idleAt?.includes(provider) === true;

/** The steps that patches add. */
export const addedSteps = (): { step: StepName; since: NonNullable<Step['since']> }[] =>
  stepRows.flatMap(({ step }) => {
    const { since } = stepOf(step);
    return since === undefined ? [] : [{ step, since }];
  });

/** By the id that `patched()` takes. */
export const patchesOfSteps = (): Readonly<Record<string, Patch>> =>
  Object.fromEntries(addedSteps().map(({ since }) => [since.patch, since]));
