import { cancellationSignal } from '@temporalio/activity';
import { recordTypes, type ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { formPlace } from '../../lib/dns/names/form-place.ts';
import type { AccountProvider, ProviderDomain } from '../../email-provider/email-provider.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import type { DnsRecord, RecordFinding } from '../../onboarding/dns-record.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { IntentKey } from '../../store/onboarding/provider-intents.ts';
import { makeOnce, mayHaveMade } from './make-once.ts';
import { accountAt, markedTenant } from './operator-accounts.ts';
import { creationOf, tenantAccount, hasAccount } from './tenant-account.ts';
import type { StepInput, UndoInput, Undone } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { goneAfter, idOfLostAnswer } from './undo.ts';

export interface DomainStepInput extends StepInput {
  readonly domain: string;
}

export function domainActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets'>,
) {
  const { operatorAccounts } = dependencies;
  const { intents } = operatorAccounts;
  const create = (account: AccountProvider, step: DomainStepInput) =>
    account.createDomain({ name: step.domain }, creationOf(step, 'registerDomain'));

  async function createByKey(step: DomainStepInput): Promise<{ domain: ProviderDomain; adopted: boolean }> {
    const account = await tenantAccount(step.tenantId, dependencies);
    try {
      return { domain: await create(account, step), adopted: false };
    } catch (error) {
      if (!(error instanceof ProviderError) || error.existingId === undefined) throw error;
      return { domain: await account.getDomain(error.existingId, { signal: cancellationSignal() }), adopted: true };
    }
  }

  async function createOnce(step: DomainStepInput, provider: ProviderName) {
    const account = accountAt(provider, operatorAccounts);
    const { domain: name } = step;
    const tenant = await markedTenant(step.tenantId, provider, dependencies);
    const { resource: domain, adopted } = await makeOnce(intents, domainIntent(provider, name), {
      step,
      find: (isFirst) => account.findDomain(name, { signal: cancellationSignal(), isFirst }),
      create: () => account.createDomain({ name, ...tenant }, { signal: cancellationSignal() }),
      isMarked: ({ mark }) => mark === tenant.mark,
    });
    return { domain, adopted };
  }

  /** Deletes it only if sendoff created it for this tenant. */
  async function deleteNoted(undo: UndoInput<DomainStepInput>, provider: ProviderName): Promise<Undone> {
    const { domain: name } = undo;
    const key = domainIntent(provider, name);
    if (!mayHaveMade(await intents.get(key), undo)) return { resourceId: undo.resourceId };
    const account = accountAt(provider, operatorAccounts);
    const signal = cancellationSignal();
    const resourceId = undo.resourceId ?? (await account.findDomain(name, { signal }))?.id ?? null;
    const kept =
      resourceId === null ? {} : await goneAfter(resourceId, account.deleteDomain(resourceId, { signal }), undo);
    if (kept.kept === undefined) await intents.forget(key);
    return { resourceId, ...kept };
  }

  return {
    /** POST /domains. Adopts an existing domain, so that a restart keeps the tenant's DNS values. */
    async registerDomain(step: DomainStepInput): Promise<{ domainId: string; records: DnsRecord[]; adopted: boolean }> {
      const { domain, adopted } =
        step.provider === undefined ? await createByKey(step) : await createOnce(step, step.provider);
      return { domainId: domain.id, records: toDnsRecords(domain.records), adopted };
    },

    /** DELETE /domains/{id}. */
    async deleteDomain(undo: UndoInput<DomainStepInput>): Promise<Undone> {
      if (undo.provider !== undefined) return deleteNoted(undo, undo.provider);
      if (undo.resourceId === null && !(await hasAccount(undo.tenantId, dependencies))) return { resourceId: null };
      const account = await tenantAccount(undo.tenantId, dependencies);
      const domainId = undo.resourceId ?? (await idOfLostAnswer(() => create(account, undo)));
      if (domainId === null) return { resourceId: null };
      const deletion = account.deleteDomain(domainId, { signal: cancellationSignal() });
      return { resourceId: domainId, ...(await goneAfter(domainId, deletion, undo)) };
    },
  };
}

const domainIntent = (provider: ProviderName, name: string): IntentKey => ({ provider, kind: 'domain', subject: name });

type ProviderRecord = ProviderDomain['records'][number];

/** Their `found` says how a server failed, not what the zone has. */
const aboutServers: ReadonlySet<string> = new Set(['ns_lame', 'server_failure', 'resolver_failure']);

/** @param known as last checked: they supply the zone if the provider names none */
export const toDnsRecords = (records: readonly ProviderRecord[], known: readonly DnsRecord[] = []): DnsRecord[] =>
  records.map((record) =>
    toDnsRecord(
      record,
      known.find(({ type, name }) => type === record.type && name === record.name),
    ),
  );

/** @param known see `toDnsRecords` */
export const toDnsRecord = (record: ProviderRecord, known?: Pick<DnsRecord, 'zone' | 'nameServers'>): DnsRecord => ({
  purpose: record.purpose,
  type: record.type,
  name: record.name,
  ...placeOf(record, known),
  ...nameServersOf(record, known),
  value: record.value,
  required: record.required,
  status: statusOf(record),
  found: [...(record.found ?? foundIn(record.findings))],
  findings: record.findings.map(toRecordFinding),
});

/** For a provider that reports the values at a name in its findings alone. */
const foundIn = (findings: ProviderRecord['findings']): ReadonlySet<string> =>
  new Set(findings.filter(({ code }) => !aboutServers.has(code)).flatMap((finding) => finding.found));

function placeOf(
  { name, host, zone }: ProviderRecord,
  known?: Pick<DnsRecord, 'zone'>,
): Pick<DnsRecord, 'host' | 'zone'> {
  if (host !== undefined) return { host, zone: zone ?? null };
  const place = formPlace(name, zone, known?.zone);
  return { host: place.host, zone: place.zoneFound ? place.zone : null };
}

function nameServersOf(
  { nameServers: reported }: ProviderRecord,
  known?: Pick<DnsRecord, 'nameServers'>,
): Pick<DnsRecord, 'nameServers'> {
  const nameServers = reported ?? known?.nameServers;
  return nameServers === undefined ? {} : { nameServers: nameServers.map((server) => ({ ...server })) };
}

/** A provider that checks a type that sendoff does not check may say of it what it likes: to sendoff it is not checked. */
function statusOf(record: ProviderRecord): DnsRecord['status'] {
  const { status = 'unchecked' } = record;
  // Whether a policy is missing is known only after a check, which has a finding: that of the domain above may apply.
  if (record.purpose === 'dmarc' && !record.required && status === 'missing' && record.findings.length === 0)
    return 'unchecked';
  return status === 'found' && toExpectedRecord(record).length === 0 ? 'inconclusive' : status;
}

export const toRecordFinding = ({ code, name, fix, publish }: ProviderRecord['findings'][number]): RecordFinding => ({
  code,
  name,
  fix,
  ...(publish && { publish }),
});

/** None for other record types and purposes, which are left to the provider. */
export function toExpectedRecord(record: Omit<ProviderRecord, 'status' | 'findings'>): ExpectedRecord[] {
  const { purpose, type, name, value, required, zone = null } = record;
  const checked = recordTypes.find((one) => one === type);
  return isPurpose(purpose) && checked !== undefined ? [{ purpose, type: checked, name, value, required, zone }] : [];
}

const isPurpose = (purpose: string): purpose is ExpectedRecord['purpose'] =>
  ['dkim', 'spf', 'return_path', 'dmarc'].includes(purpose);
