/** A DNS operator, and the form in which its customers enter records. A field is absent if no source documents it. */
export interface DnsOperator {
  /** As the operator writes it. */
  readonly name: string;
  /**
   * Patterns of its name servers: `*` is any text within a label, `#` a number. Two operators with the same pattern cannot be
   * told apart. Empty if the operator publishes none.
   */
  readonly nameServers: readonly string[];
  readonly form: OperatorForm;
  /** The operator's own page about entering records, an HTTPS URL. */
  readonly manual?: string;
}

export interface OperatorForm {
  /** The words beside the form's fields. */
  readonly labels?: {
    readonly host?: string;
    readonly text?: string;
    readonly mailServer?: string;
    readonly target?: string;
    readonly priority?: string;
  };
  /** Whether the form appends the zone, so that a full name in the host field is doubled. */
  readonly appendsZone?: true;
  /** How the host field names the zone itself. */
  readonly apex?: '@' | 'empty';
  /**
   * A text longer than 255 bytes: entered as it is, or as several strings in quotation marks. The second kind requires the
   * marks around short texts too.
   */
  readonly longText?: 'whole' | 'quotedParts';
  readonly quotes?: 'refused';
  /** The most characters of a text, with the quotation marks that the operator adds. */
  readonly textMax?: number;
  /** Whether the name of a mail server ends in a dot. */
  readonly mxDot?: boolean;
  /** Whether the target of a CNAME record does. */
  readonly cnameDot?: boolean;
  readonly mxPriority?: 'ownField' | 'inValue';
  readonly notes?: Readonly<Partial<Record<'every' | 'TXT' | 'MX' | 'CNAME', readonly OperatorNote[]>>>;
}

/** Something about one operator's form that its fields do not show. */
export type OperatorNote =
  | 'customMxOnly'
  | 'customMxPage'
  | 'mxHostMayBeMissing'
  | 'proxyOff'
  | 'twoConsoles'
  | 'noSpfPreset'
  | 'longDefaultTtl'
  | 'onePaste';
