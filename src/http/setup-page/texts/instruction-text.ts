import { zoneWide } from '../../../onboarding/attention.ts';
import type { RecordFinding } from '../../../onboarding/dns-record.ts';
import type { SetupRecord, SetupView } from '../setup-view.ts';
import { printable } from '../../../lib/printable.ts';
import type { Product, ProblemFacts, SetupTexts } from './setup-texts.ts';

/**
 * Plain text for the person who manages the zone: who asks, what is wrong, and each record field by field. A value has a line of
 * its own, so that it can be copied whole.
 */
export function instructionText(view: SetupView, texts: SetupTexts, product: Product): string {
  const words = texts.handOn.instructions;
  const { domain, operator, records, deadline } = view;
  const zone = zoneOf(view);
  const heading = words.heading(domain);
  const right = records.filter(({ status }) => status === 'found');
  const toEnter = records.filter(({ needsEntry }) => needsEntry);
  const rest = records.filter(({ status, needsEntry }) => status !== 'found' && !needsEntry);
  const unchecked = rest.filter(({ status }) => status === 'inconclusive');
  const others = rest.filter(({ status }) => status !== 'inconclusive');
  const shared = sharedProblems(view, texts);
  const request = [
    (toEnter.length > 0 ? words.request : words.unchecked)(zone),
    ...(product.name === undefined ? [] : [words.purpose(product.name)]),
    ...(deadline === null ? [] : [words.until(dateText(deadline, texts.tag))]),
    ...(operator === null ? [] : [texts.operator.looksLike(operator.name, zone)]),
    ...(operator?.manual === undefined ? [] : [operator.manual]),
  ];
  const leave = [words.alreadyRight, ...right.map(({ type, name }) => `- ${type} ${name}`)];
  const open = [
    words.nothingToEnter,
    ...others.flatMap((record) => [`- ${record.type} ${record.name}`, ...ownProblems(record, { shared, texts })]),
  ];
  const parts = [
    [heading, '='.repeat(heading.length)],
    ...(toEnter.length + unchecked.length > 0 ? [request] : []),
    ...(shared.length > 0 ? [shared] : []),
    ...toEnter.map((record, at) => recordLines(record, { number: at + 1, zone, shared }, texts)),
    ...(toEnter.length > 0 && unchecked.length > 0 ? [[words.unchecked(zone)]] : []),
    ...unchecked.map((record, at) => recordLines(record, { number: toEnter.length + at + 1, zone, shared }, texts)),
    ...(others.length > 0 ? [open] : []),
    ...(right.length > 0 ? [leave] : []),
    ...(product.support === undefined ? [] : [[`${texts.about.support} ${product.support}`]]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Comments at the top of the zone file. */
export const zoneFileHeading = (view: SetupView, { handOn }: SetupTexts): readonly string[] => [
  handOn.instructions.heading(view.domain),
  handOn.instructions.request(zoneOf(view)),
];

/** The zone of the instructions. */
export const zoneOf = ({ zone, domain, records }: SetupView): string => zone ?? records[0]?.form.zone ?? domain;

function recordLines(
  record: SetupRecord,
  { number, zone, shared }: { readonly number: number; readonly zone: string; readonly shared: readonly string[] },
  texts: SetupTexts,
): readonly string[] {
  const { required, form } = record;
  const { records } = texts;
  const words = texts.handOn.instructions;
  const { labels, chunks } = form;
  const { name } = purposeOf(record, texts);
  return [
    `${number}. ${name} (${required ? words.required : words.advised})`,
    ...(form.zone === zone ? [] : [words.otherZone(form.zone)]),
    ...ownProblems(record, { shared, texts }),
    `${records.type}: ${form.type}`,
    `${labels.host ?? records.host}: ${form.host === '' ? records.emptyHost : form.host}`,
    `${records.fullName}: ${form.name}`,
    ...(form.priority === undefined ? [] : [`${labels.priority ?? records.priority}: ${form.priority}`]),
    `${labels.value ?? records.value}:`,
    form.value,
    ...(chunks === undefined ? [] : [`${records.parts}:`, ...chunks.map((chunk) => `"${chunk}"`)]),
    ...form.advice.map((advice) => `- ${records.advice[advice](form.zone)}`),
  ];
}

/** Another provider's problem has its own words, in English. */
export function problemText(problem: RecordFinding, record: SetupRecord, { problems }: SetupTexts): string {
  const { code, fix } = problem;
  const sentence = isProblem(problems, code) ? problems[code] : fix;
  return printable(typeof sentence === 'string' ? sentence : sentence(factsOf(problem, record)));
}

function factsOf({ name: at, publish }: RecordFinding, { type, name, value, form }: SetupRecord): ProblemFacts {
  const { zone } = form;
  return {
    ...{ type, name, zone, at, hasFields: publish !== undefined },
    mailServer: type === 'MX' ? value.replace(/^\d+\s+/, '').replace(/\.$/, '') : '',
    atHost: at === zone ? '@' : at.endsWith(`.${zone}`) ? at.slice(0, -zone.length - 1) : at,
  };
}

/** The sentences about the zone that several records share: they are said once. */
export function sharedProblems({ records }: Pick<SetupView, 'records'>, texts: SetupTexts): string[] {
  const sentences = records.flatMap((record) => [
    ...new Set(
      record.problems.filter(({ code }) => zoneWide.has(code)).map((problem) => problemText(problem, record, texts)),
    ),
  ]);
  return [...new Set(sentences)].filter((each) => sentences.indexOf(each) !== sentences.lastIndexOf(each));
}

/** @param of.shared what is said elsewhere */
export const ownProblems = (
  record: SetupRecord,
  { shared, texts }: { readonly shared: readonly string[]; readonly texts: SetupTexts },
): string[] =>
  record.problems.map((problem) => problemText(problem, record, texts)).filter((each) => !shared.includes(each));

const isProblem = (problems: SetupTexts['problems'], code: string): code is keyof SetupTexts['problems'] =>
  Object.hasOwn(problems, code);

/** Another provider's purpose is shown as it is. */
export const purposeOf = (
  { purpose }: SetupRecord,
  { records }: SetupTexts,
): { readonly name: string; readonly why?: string } =>
  Object.hasOwn(records.purposes, purpose)
    ? records.purposes[purpose as keyof typeof records.purposes]
    : { name: purpose };

const dateText = (time: string, tag: string): string =>
  `${new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`;
