import { undoableRows } from '../../onboarding/steps.ts';
import { type GroupCase, expectHeld, expectUndone, expectThat, failureOf } from '../conformance-case.ts';

const isShared = ({ farEnd }: { farEnd: { provider: unknown } }): boolean => farEnd.provider !== undefined;
const LONGEST_ID = 128;

export const ownCases: readonly GroupCase[] = [
  {
    name: 'a domain that the account had before is neither used nor deleted',
    concerns: isShared,
    async run({ tenant, second }) {
      const acme = tenant();
      const foreign = tenant({ of: await second(), domain: acme.domain });
      await foreign.runTo('registerDomain');
      const { type, details } = await failureOf(acme.runTo('registerDomain'));
      expectThat(type === 'ProviderRejected', `the onboarding failed with ${type}`);
      expectThat(JSON.stringify(details).includes('domain_taken'), 'the failure does not say domain_taken');
      await acme.undo();
      expectHeld(await foreign.held(), { domains: 1 });
      await foreign.undo();
    },
  },
  {
    name: 'the domain of another tenant is neither used nor deleted',
    concerns: isShared,
    async run({ tenant }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      const other = tenant({ domain: acme.domain });
      expectThat((await failureOf(other.runTo('registerDomain'))).type === 'ProviderRejected', 'it was not refused');
      await other.undo();
      expectHeld(await acme.held(), { domains: 1 });
      await acme.undo();
    },
  },
  {
    name: 'two installations at one account leave each other alone, with a tenant of the same name',
    concerns: isShared,
    async run({ tenant, second, farEnd }) {
      const acme = tenant();
      const theirs = tenant({ of: await second(), tenantId: acme.tenantId });
      await acme.onboard();
      await theirs.onboard();
      expectThat(acme.mark !== theirs.mark, 'both have the same mark');
      await expectUndone(theirs);
      expectHeld(await acme.held(), farEnd.whole);
      await acme.undo();
    },
  },
  {
    name: 'tenant ids with dots, of 128 characters, and that look alike are different tenants',
    async run({ tenant, farEnd }) {
      const suffix = tenant().tenantId;
      const ids = [
        `a.b_${suffix}`,
        `a-b_${suffix}`,
        `A.B_${suffix}`,
        `${'x'.repeat(LONGEST_ID - suffix.length)}${suffix}`,
      ];
      const tenants = ids.map((tenantId) => tenant({ tenantId }));
      for (const one of tenants) await one.onboard();
      for (const one of tenants) expectHeld(await one.held(), farEnd.whole);
      for (const one of tenants) await expectUndone(one);
    },
  },
  {
    name: 'a second onboarding that is cut off in any step leaves what the first one made',
    targets: ['embedded', 'fake'],
    async run({ tenant, farEnd, installation: { relay } }) {
      for (const [at, { step }] of undoableRows.entries()) {
        const acme = tenant();
        await acme.onboard();
        await acme.startAgain();
        const last = undoableRows[at - 1];
        if (last === undefined) {
          relay.fault = () => ({ when: 'before', answer: 'reset' });
          await acme.perform(step, { attempts: 1 }).catch(() => undefined);
          relay.fault = () => undefined;
        } else await acme.runTo(last.step);
        await acme.undoFrom(step);
        expectHeld(await acme.held(), farEnd.whole);
      }
    },
  },
  {
    name: 'a domain that a person has deleted ends the onboarding, and the next one makes it again',
    targets: ['fake'],
    async run({ tenant, farEnd }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      farEnd.fake?.deleteDomain(acme.domain);
      const { type, details } = await failureOf(acme.check('zone'));
      expectThat(type === 'ProviderRejected', `the check failed with ${type}: ${JSON.stringify(details)}`);
      await expectUndone(acme);
      await acme.startAgain();
      await acme.onboard();
      expectHeld(await acme.held(), farEnd.whole);
      await expectUndone(acme);
    },
  },
];

export const domainCases: readonly GroupCase[] = [
  {
    name: 'the records are complete: absolute names, a key, and a priority where the type has one',
    async run({ tenant }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      const { records } = acme.ids;
      const required = records.filter(({ required: isRequired }) => isRequired);
      expectThat(
        required.some(({ purpose }) => purpose === 'dkim'),
        'no DKIM record is required',
      );
      for (const { type, name, value } of required) {
        expectThat(name === acme.domain || name.endsWith(`.${acme.domain}`), `${name} is not a name of ${acme.domain}`);
        expectThat(!name.endsWith(`.${acme.domain}.${acme.domain}`), `${name} repeats the domain`);
        expectThat(['TXT', 'MX', 'CNAME'].includes(type), `${type} is not checked by sendoff`);
        expectThat(type !== 'MX' || /^\d+ \S+$/.test(value), `the value of the MX record is ${value}`);
        expectThat(value !== '' && !value.startsWith('"'), `the value of ${name} is ${value}`);
      }
      await acme.undo();
    },
  },
  {
    name: 'the provider is not asked while the zone is empty',
    concerns: isShared,
    async run({ tenant, installation: { relay } }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      const before = relay.exchanges.length;
      const { published } = await acme.check('look');
      expectThat(!published, 'the empty zone counts as published');
      expectThat(relay.exchanges.length === before, 'the provider was asked');
      await acme.undo();
    },
  },
  {
    name: 'a domain is verified once its records are published, and not before',
    async run({ tenant }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      for (let check = 0; check < 2; check += 1)
        expectThat(!(await acme.check('zone')).verified, 'it is verified without records');
      await acme.verify();
      await acme.undo();
    },
  },
  {
    name: 'a check of the DNS that is under way is not started again',
    targets: ['fake'],
    concerns: ({ farEnd }) => farEnd.fake?.verifications !== undefined,
    async run({ tenant, farEnd }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      const before = farEnd.fake?.verifications?.() ?? 0;
      for (let check = 0; check < 3; check += 1) await acme.check('zone');
      const started = (farEnd.fake?.verifications?.() ?? 0) - before;
      expectThat(started === 1, `it was started ${started} times`);
      await acme.undo();
    },
  },
  {
    name: 'a check that the provider has given up is started again',
    targets: ['fake'],
    async run({ tenant, farEnd }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      farEnd.fake?.setDomainStatus(acme.domain, 'failed');
      await acme.verify();
      await acme.undo();
    },
  },
  {
    name: 'a provider that says verified and refuses the tenant leads back to the domain (F2)',
    targets: ['fake'],
    concerns: ({ farEnd }) => farEnd.fake?.refusesUnverifiedSender === true,
    async run({ tenant, farEnd }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      await acme.verify();
      farEnd.fake?.setDomainStatus(acme.domain, 'pending');
      const { type } = await failureOf(acme.perform('createSender', { attempts: 4 }));
      expectThat(type === 'DomainNotVerified', `the sender failed with ${type}`);
      await acme.undo();
    },
  },
];
