// Leaf library: refuses at start an encryption key that does not belong to the database.
import { type Sealer, UnsealError } from './sealing.ts';
import { SettingsError } from './settings.ts';

export interface SealedValue {
  readonly sealed: string;
  readonly context: string;
}

/**
 * Throws SettingsError when there are sealed values and the keys open none of them. A key that opens one is enough: the
 * others may be sealed with a key that was left out on purpose.
 */
export async function requireFittingKey(
  sealer: Sealer,
  values: AsyncIterable<SealedValue>,
  names: { readonly key: string; readonly database: string; readonly databaseUrl: string },
): Promise<void> {
  let isEmpty = true;
  for await (const value of values) {
    if (opens(sealer, value)) return;
    isEmpty = false;
  }
  if (isEmpty) return;
  throw new SettingsError(
    `${names.key} opens none of the secrets in ${names.databaseUrl}. Set it to the key they were sealed with (to change the key, put the new one before it, separated by a comma), or set ${names.database} to another database.`,
  );
}

function opens(sealer: Sealer, { sealed, context }: SealedValue): boolean {
  try {
    sealer.open(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof UnsealError) return false;
    throw error;
  }
}
