// A required record that sendoff does not check itself is never published, even if the provider reports it as found.
import { expect, test } from 'vitest';
import { checkZone } from '../../../src/activities/onboarding/check-zone.ts';
import { toDnsRecord } from '../../../src/activities/onboarding/register-domain.ts';
import { readDomain } from '../../../src/email-provider/adapters/sendoff/read-resources.ts';
import { diagnose } from '../../../src/lib/dns/findings/diagnose.ts';
import { collected, dkim, found, nxDomain } from '../../lib/dns/collected.ts';

const key = { purpose: 'dkim', type: dkim.type, name: dkim.name, value: dkim.value };
const alias = { type: 'CNAME', name: 's1._domainkey.acme.com', value: 'S1.provider.test.' };
const policy = { type: 'CAA', name: 'acme.com', value: '0 issue ca.provider.test' };
const token = { type: 'TXT', name: 'acme.com', value: 'provider-verification=1' };
const advice = { purpose: 'dmarc', type: 'TXT', name: '_dmarc.acme.com', value: 'v=DMARC1; p=none', required: false };

/** Of records whose zone has the DKIM key, or nothing. */
const check = (records: readonly object[], zone: 'complete' | 'empty') =>
  checkZone(
    'acme.com',
    readDomain({ id: 'dom_1', name: 'acme.com', status: 'pending', records }, { id: 'dom_1' }).records.map((record) =>
      toDnsRecord(record),
    ),
    {
      checkRecords: async (domain, expected) =>
        diagnose(
          domain,
          expected.map((each) => collected(each, zone === 'complete' ? found(each.value) : nxDomain())),
        ),
    },
  );

test.each([
  ['no record at all', [], false],
  ['no required record', [advice], false],
  ['aliases alone', [alias, { ...alias, name: 's2._domainkey.acme.com' }], true],
  ['an alias of the return path', [{ ...alias, name: 'bounce.acme.com' }], true],
  ['a record of another type', [policy], false],
  ['a record of another type that the provider calls found', [{ ...policy, status: 'found' }], false],
  ['a record of another purpose', [token], false],
  ['a key beside an alias', [key, alias], true],
  ['a key beside a record of another type', [key, { ...policy, status: 'found' }], false],
  ['a key', [key], true],
  ['a key beside a record of another type that is not required', [key, { ...policy, required: false }], true],
])(
  'of %s, a complete zone is published and conclusive only if all that is required was checked',
  async (_, records, holds) => {
    expect(await check(records, 'complete')).toMatchObject({ published: holds, conclusive: holds });
    const { published, conclusive } = await check(records, 'empty');
    expect({ published, conclusive }).toEqual({ published: false, conclusive: holds });
  },
);
