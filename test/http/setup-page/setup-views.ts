import type { SetupRecord, SetupView } from '../../../src/http/setup-page/setup-view.ts';
import type { DnsOperator } from '../../../src/onboarding/dns-operators/dns-operator.ts';
import { recordForm } from '../../../src/onboarding/dns-operators/record-form.ts';
import type { DnsRecord } from '../../../src/onboarding/dns-record.ts';

export const setupRecord = ({ findings, ...record }: DnsRecord, operator?: DnsOperator): SetupRecord => ({
  ...record,
  form: recordForm(record, operator),
  needsEntry: record.status !== 'found',
  problems: findings,
});

export const setupView = (records: readonly SetupRecord[], fields: Partial<SetupView> = {}): SetupView => ({
  domain: 'mail.acme.com',
  zone: 'acme.com',
  state: 'waiting',
  operator: null,
  recognized: null,
  records,
  nameServers: [],
  checkedAt: null,
  nextCheckAt: null,
  deadline: null,
  mayCheck: true,
  end: null,
  ...fields,
});
