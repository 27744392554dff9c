import { randomInt } from 'node:crypto';
import type { Sealer } from '../../lib/sealing.ts';
import type { EmailServiceConfig } from '../config.ts';
import { newId } from '../resources/resource-ids.ts';
import type { DkimKeyPair } from './dkim-key-pair.ts';
import { dkimRecord, sendingRecords, uncheckedRecords, type FindZones } from './sending-records.ts';
import type { NextDkimKey } from '../store/domains.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import type { DomainTable } from '../store/schema.ts';

const SELECTOR_SUFFIX_CHARS = 4;
const SELECTOR_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export interface NewDomainContext {
  readonly sealer: Sealer;
  readonly settings: Pick<EmailServiceConfig, 'hostname' | 'spfMechanism' | 'returnPathLabel'>;
  readonly generateDkimKey: () => Promise<DkimKeyPair>;
  /** Resolves within seconds, with the zones that name servers reported by then. */
  readonly findZones: FindZones;
  readonly now: () => Date;
}

/**
 * A domain with a DKIM key, not yet stored. Generating the RSA key takes some 100 ms.
 * @param name lower case
 */
export async function newDomain(
  { sealer, settings, generateDkimKey, findZones, now }: NewDomainContext,
  accountId: string,
  name: string,
): Promise<DomainTable> {
  const { privateKey, publicKey: dkimPublicKey } = await generateDkimKey();
  const id = newId('dom');
  const createdAt = now();
  const dkimSelector = newSelector(createdAt);
  const returnPathDomain = `${settings.returnPathLabel}.${name}`;
  const expected = sendingRecords({ ...settings, name, returnPathDomain, dkimSelector, dkimPublicKey });
  return {
    id,
    account_id: accountId,
    name,
    status: 'pending',
    dkim_selector: dkimSelector,
    sealed_dkim_private_key: sealer.seal(privateKey, sealingContext.dkimKey(id)),
    next_dkim_selector: null,
    sealed_next_dkim_private_key: null,
    return_path_domain: returnPathDomain,
    tls: 'opportunistic',
    records: JSON.stringify(await uncheckedRecords(expected, findZones)),
    created_at: createdAt.toISOString(),
    verified_at: null,
    drifted_at: null,
    sends_until: null,
    last_checked_at: null,
    next_check_at: null,
    deleted_at: null,
  };
}

/** A key for a rotation. Its record is not required: until it is found, the domain's present key signs. */
export async function newDkimKey(
  { sealer, generateDkimKey, findZones, now }: Omit<NewDomainContext, 'settings'>,
  { id, name }: Pick<DomainTable, 'id' | 'name'>,
): Promise<NextDkimKey> {
  const { privateKey, publicKey: dkimPublicKey } = await generateDkimKey();
  const dkimSelector = newSelector(now());
  const record = { ...dkimRecord({ name, dkimSelector, dkimPublicKey }), required: false };
  return {
    next_dkim_selector: dkimSelector,
    sealed_next_dkim_private_key: sealer.seal(privateKey, sealingContext.dkimKey(id)),
    records: await uncheckedRecords([record], findZones),
  };
}

/** `so20261121-k3f9`: the date distinguishes a domain's keys, the suffix two accounts that register the same domain. */
function newSelector(now: Date): string {
  const suffix = Array.from(
    { length: SELECTOR_SUFFIX_CHARS },
    () => SELECTOR_ALPHABET[randomInt(SELECTOR_ALPHABET.length)],
  );
  return `so${now.toISOString().slice(0, 10).replaceAll('-', '')}-${suffix.join('')}`;
}
