// Leaf library, pure.

/** The names of the fields whose values differ. */
export const differingFields = (
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): string[] => Object.keys(left).filter((field) => left[field] !== right[field]);
