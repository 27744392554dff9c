import { randomInt } from 'node:crypto';
import { newId } from '../resources/resource-ids.ts';
import { sendingRecords } from './sending-records.ts';
import type { ServiceParts } from '../http/service-parts.ts';
import type { DomainTable } from '../store/schema.ts';

const SELECTOR_SUFFIX_CHARS = 4;
const SELECTOR_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * A domain with its own DKIM key, not yet stored. Makes an RSA key, which takes some 100 ms.
 * @param name lower case
 */
export async function newDomain(
  {
    sealer,
    settings,
    generateDkimKey,
    findZones,
    now,
  }: Pick<ServiceParts, 'sealer' | 'settings' | 'generateDkimKey' | 'findZones' | 'now'>,
  accountId: string,
  name: string,
): Promise<DomainTable> {
  const { privateKey, publicKey } = await generateDkimKey();
  const id = newId('dom');
  const createdAt = now();
  const dkimSelector = newSelector(createdAt);
  const returnPathDomain = `${settings.returnPathLabel}.${name}`;
  return {
    id,
    account_id: accountId,
    name,
    status: 'pending',
    dkim_selector: dkimSelector,
    sealed_dkim_private_key: sealer.seal(privateKey, `domain/${id}/dkim`),
    return_path_domain: returnPathDomain,
    records: JSON.stringify(
      await sendingRecords(
        {
          name,
          returnPathDomain,
          dkimSelector,
          dkimPublicKey: publicKey,
          spfMechanism: settings.spfMechanism,
          hostname: settings.hostname,
        },
        findZones,
      ),
    ),
    created_at: createdAt.toISOString(),
    verified_at: null,
    last_checked_at: null,
    deleted_at: null,
  };
}

/** `so20261121-k3f9`: the day tells an old key from a new one, the suffix tells two accounts with one domain apart. */
function newSelector(now: Date): string {
  const suffix = Array.from(
    { length: SELECTOR_SUFFIX_CHARS },
    () => SELECTOR_ALPHABET[randomInt(SELECTOR_ALPHABET.length)],
  );
  return `so${now.toISOString().slice(0, 10).replaceAll('-', '')}-${suffix.join('')}`;
}
