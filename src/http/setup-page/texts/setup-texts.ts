import type { FormAdvice } from '../../../onboarding/dns-operators/record-form.ts';
import type { FindingCode } from '../../../lib/dns/findings/finding.ts';
import type { CheckNotice, SetupEnd, SetupRecord, SetupState, SetupView } from '../setup-view.ts';

/** Whose page it is, where the settings say so. */
export interface Product {
  readonly name: string | undefined;
  /** An address to ask. */
  readonly support: string | undefined;
}

/** The facts that the sentences about a problem may name. Names are absolute. */
export interface ProblemFacts {
  readonly type: string;
  /** Name of the record. */
  readonly name: string;
  readonly zone: string;
  /** Mail server of an MX record; otherwise empty. */
  readonly mailServer: string;
  /** Where the problem was seen, and its host in the zone. */
  readonly at: string;
  readonly atHost: string;
  /** Whether the fields to enter follow the sentences. */
  readonly hasFields: boolean;
}

/**
 * Every word of the setup page in one language, as plain text. Hosts and values to copy have fields of their own, so a sentence may
 * name them but is not copied from.
 */
export interface SetupTexts {
  /** BCP 47. */
  readonly tag: string;
  /** The name of the language, in the language. */
  readonly languageName: string;
  /** Title of the window. */
  readonly title: (domain: string) => string;
  readonly skipToContent: string;
  readonly chooseLanguage: string;

  /** Where the tenant stands: a headline, and one or two sentences with the next action. */
  readonly states: Readonly<
    Record<SetupState, (view: SetupView) => { readonly headline: string; readonly next: string }>
  >;
  /** The sentences of an end that is not a success, in place of `states.….next`. */
  readonly ends: Readonly<Record<SetupEnd['type'], (end: SetupEnd, view: SetupView) => string>>;
  /** The answer to "check now". */
  readonly notices: Readonly<Record<CheckNotice, string>>;

  /** The way to the first email, in its order, for the list of steps. */
  readonly steps: {
    /** Names the list, for screen readers. */
    readonly label: string;
    readonly publish: string;
    readonly verify: string;
    readonly deliver: string;
    /** How a screen reader says the state of a step. */
    readonly done: string;
    readonly current: string;
    readonly ahead: string;
    readonly stopped: string;
    /** State of a step that was done, and no longer holds. */
    readonly lost: string;
  };

  readonly checks: {
    readonly checkNow: string;
    /** While the browser waits for the answer. */
    readonly checking: string;
    /** A time follows. */
    readonly lastChecked: string;
    readonly notChecked: string;
    readonly nextCheck: string;
    /** Heads the time that is left and the deadline. */
    readonly timeLeft: string;
    readonly timeOver: string;
    /** `2 days 4 hours`; minutes only below a day, and no unit that is 0. */
    readonly duration: (left: { readonly days: number; readonly hours: number; readonly minutes: number }) => string;
    readonly until: (time: string) => string;
    /** A link, without JavaScript. */
    readonly refresh: string;
    /** Beside the last check, with JavaScript. */
    readonly live: string;
  };

  readonly records: {
    readonly required: string;
    readonly requiredWhy: string;
    readonly advised: string;
    readonly advisedWhy: string;
    /** The purpose of the record, in a few words: `DKIM: signs your emails`. Another provider's purpose is shown as it is. */
    readonly purposes: Readonly<
      Record<'dkim' | 'spf' | 'return_path' | 'dmarc', { readonly name: string; readonly why: string }>
    >;
    readonly status: Readonly<Record<SetupRecord['status'], string>>;
    /** Labels of the fields, where those of the DNS operator's form are not known. */
    readonly type: string;
    readonly host: string;
    readonly value: string;
    readonly priority: string;
    readonly emptyHost: string;
    readonly copy: string;
    readonly copied: string;
    /** For screen readers: `Copy Host of DKIM`. */
    readonly copyField: (field: string, record: string) => string;
    /** Heads the full name: what the form shows once the record is saved. */
    readonly fullName: string;
    /** Heads the strings of a value. */
    readonly parts: string;
    readonly part: (number: number, of: number) => string;
    /** Heads what the zone has at the name. */
    readonly found: string;
    readonly advice: Readonly<Record<FormAdvice, (zone: string) => string>>;
    readonly enterThis: string;
  };
  /** The mistake and its remedy. Of another provider's code, the page shows `problem.fix`. */
  readonly problems: Readonly<Record<FindingCode, string | ((seen: ProblemFacts) => string)>>;

  readonly operator: {
    /** `Your DNS looks like it is at Cloudflare.` */
    readonly looksLike: (operator: string, zone: string) => string;
    /** How to begin, where no operator was recognized. */
    readonly unknown: (zone: string) => string;
    /** A link to the DNS operator's page about entering records. */
    readonly manual: (operator: string) => string;
    /** A link that shows the general form. */
    readonly isAnother: string;
    /** A link back. */
    readonly isThis: (operator: string) => string;
  };

  readonly handOn: {
    readonly heading: string;
    readonly why: string;
    readonly copyInstructions: string;
    readonly downloadZoneFile: string;
    readonly print: string;
    /** The words that only the instructions have, as plain text for a colleague. */
    readonly instructions: {
      readonly heading: (domain: string) => string;
      readonly request: (zone: string) => string;
      readonly required: string;
      readonly advised: string;
      readonly purpose: (product: string) => string;
      /** Instruction for a record in another zone than the first. */
      readonly otherZone: (zone: string) => string;
      /** Before the records that no check has seen: only the reader can tell whether they are there. */
      readonly unchecked: (zone: string) => string;
      /** Before the records that are neither right nor to enter, each with what is wrong. */
      readonly nothingToEnter: string;
      /** Before the records that are there already. */
      readonly alreadyRight: string;
      readonly until: (deadline: string) => string;
    };
  };

  readonly about: {
    readonly nameServers: string;
    readonly answered: string;
    readonly silent: string;
    readonly nextHeading: string;
    /** The next events, as a list. */
    readonly next: (view: SetupView) => readonly string[];
    readonly support: string;
    /** Where no support address is set. */
    readonly supportUnknown: string;
  };

  /** Text of the page that every link without an onboarding leads to. */
  readonly notFound: { readonly headline: string; readonly next: string };
  /** While the database or the program cannot answer. */
  readonly unavailable: { readonly headline: string; readonly next: string };
}
