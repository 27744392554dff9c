/** What every step is told. */
export interface StepInput {
  readonly tenantId: string;
  /** See `stepIdempotencyKey`. */
  readonly attemptId: string;
  /** Whether the onboarding has a record: a database without one is then another database. */
  readonly isRecorded?: boolean;
}

/** What an undo is told: the step's own input, and what the step created if its answer arrived. */
export type UndoInput<Step extends StepInput = StepInput> = Step & { readonly resourceId: string | null };
/** `resourceId` null: there was nothing to undo. */
export interface Undone {
  readonly resourceId: string | null;
}
