interface Fault {
  readonly field: string;
  readonly problem: string;
}

/** The server refuses a failure of megabytes, and an input may name as many fields. */
const PROBLEMS_MAX = 20;
const FIELD_LENGTH_MAX = 100;

/** What the `InvalidInput` of a Workflow shows. The API validates too; this covers a start by another client. */
export function shownFaults(faults: readonly Fault[]): { problems: Fault[]; message: string } {
  const problems = faults
    .slice(0, PROBLEMS_MAX)
    .map(({ field, problem }) => ({ field: field.slice(0, FIELD_LENGTH_MAX), problem }));
  return { problems, message: problems.map(({ field, problem }) => `${field || 'the input'} ${problem}`).join('; ') };
}
