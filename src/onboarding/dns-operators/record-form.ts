import { valueChunks } from '../../lib/dns/records/value-chunks.ts';
import type { DnsRecord } from '../dns-record.ts';
import type { DnsOperator, OperatorForm, OperatorNote } from './dns-operator.ts';

/** A record as the tenant enters it, field by field. */
export interface RecordForm {
  readonly type: string;
  /** Empty: the field stays empty. */
  readonly host: string;
  /** Without the priority if that has a field. */
  readonly value: string;
  /** Priority of an MX record; absent if it is part of the value. */
  readonly priority?: string;
  /** The strings of a long text, if the form may refuse it in one piece. */
  readonly chunks?: readonly string[];
  /** The full name and the zone: what the form shows once the record is saved. */
  readonly name: string;
  readonly zone: string;
  /** Words of the operator's form, where they are known. */
  readonly labels: { readonly host?: string; readonly value?: string; readonly priority?: string };
  readonly advice: readonly FormAdvice[];
}

/** What the tenant must know about the fields; the texts have a sentence for each. */
export type FormAdvice =
  | 'zoneAppended'
  | 'zoneMayBeAppended'
  | 'hostStaysEmpty'
  | 'quotesBelong'
  | 'quotesRefused'
  | 'partsIfRefused'
  | 'valueTooLong'
  | 'dotBelongs'
  | 'noDot'
  | 'mayNeedDot'
  | 'priorityInValue'
  | OperatorNote;

type Shown = Pick<DnsRecord, 'type' | 'name' | 'host' | 'zone' | 'value'>;

/**
 * @param operator undefined: the general form, which asks nothing that only some operators want
 * @param seen what a check has shown of the form
 */
export function recordForm(
  record: Shown,
  operator?: DnsOperator,
  seen: Pick<OperatorForm, 'mxDot' | 'cnameDot'> = {},
): RecordForm {
  const form = { ...operator?.form, ...seen };
  const { type, name } = record;
  const zone = zoneOf(record);
  const isEmptyHost = record.host === '@' && form.apex === 'empty';
  const field = fieldOf(record, form);
  const { every = [], ...ofTypes } = form.notes ?? {};
  const notes = type === 'MX' || type === 'TXT' || type === 'CNAME' ? [...every, ...(ofTypes[type] ?? [])] : [];
  const hostAdvice = isEmptyHost ? 'hostStaysEmpty' : form.appendsZone ? 'zoneAppended' : 'zoneMayBeAppended';
  return {
    type,
    name,
    zone,
    host: isEmptyHost ? '' : record.host,
    labels: labelsOf(type, form),
    ...field,
    advice: [hostAdvice, ...field.advice, ...notes],
  };
}

function labelsOf(type: string, { labels = {} }: OperatorForm): RecordForm['labels'] {
  const { host, text, mailServer, target, priority } = labels;
  const value = type === 'MX' ? mailServer : type === 'CNAME' ? target : text;
  return {
    ...(host !== undefined && { host }),
    ...(value !== undefined && { value }),
    ...(type === 'MX' && priority !== undefined && { priority }),
  };
}

type ValueField = Pick<RecordForm, 'value' | 'priority' | 'chunks' | 'advice'>;

function fieldOf({ type, value }: Shown, form: OperatorForm): ValueField {
  switch (type) {
    case 'MX':
      return mailServer(value, form);
    case 'CNAME':
      return hostName(value, form.cnameDot);
    default:
      return text(value, form);
  }
}

function text(value: string, { longText, quotes, textMax }: OperatorForm): ValueField {
  const chunks = valueChunks(value);
  if (longText === 'quotedParts') return { value: quotedStrings(chunks), advice: ['quotesBelong'] };
  const advice: FormAdvice[] = quotes === 'refused' ? ['quotesRefused'] : [];
  // The operator counts the quotation marks of each string and the spaces between them.
  if (textMax !== undefined && quotedStrings(chunks).length > textMax) advice.push('valueTooLong');
  if (chunks.length === 1 || longText === 'whole' || quotes === 'refused') return { value, advice };
  return { value, chunks, advice: [...advice, 'partsIfRefused'] };
}

const quotedStrings = (strings: readonly string[]): string => strings.map((string) => `"${string}"`).join(' ');

function mailServer(value: string, { mxDot, mxPriority }: OperatorForm): ValueField {
  const [, priority, target] = /^(\d+)\s+(\S+)$/.exec(value) ?? [];
  if (priority === undefined || target === undefined) return { value, advice: [] };
  const exchange = hostName(target, mxDot);
  if (mxPriority === 'inValue')
    return { value: `${priority} ${exchange.value}`, advice: [...exchange.advice, 'priorityInValue'] };
  return { ...exchange, priority };
}

/** @param dot whether the form wants one at its end */
const hostName = (name: string, dot: boolean | undefined): Pick<RecordForm, 'value' | 'advice'> => ({
  value: `${name.replace(/\.$/, '')}${dot === true ? '.' : ''}`,
  advice: [dot === undefined ? 'mayNeedDot' : dot ? 'dotBelongs' : 'noDot'],
});

/** What follows the host in the name, while no name server has named the zone. */
function zoneOf({ name, host, zone }: Shown): string {
  if (typeof zone === 'string') return zone;
  return name.startsWith(`${host}.`) ? name.slice(host.length + 1) : name;
}
