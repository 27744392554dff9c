import { opens, type SealedValue, type Sealer } from './sealing.ts';
import { SettingsError } from './settings.ts';

/**
 * Throws SettingsError if there are sealed values and the keys open none of them. One opened value is enough:
 * the operator may have removed the keys of the others on purpose.
 */
export async function requireMatchingKey(
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
    `${names.key} decrypts none of the secrets in ${names.databaseUrl}. Set it to the key that encrypted them, alone or after the new key and a comma, or set ${names.database} to the right database.`,
  );
}
