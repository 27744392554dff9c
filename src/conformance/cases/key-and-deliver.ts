import { keyStepOf } from '../../onboarding/provider-name.ts';
import { type Bench, type GroupCase, expectHeld, expectThat, expectUndone } from '../conformance-case.ts';
import { isPost, loseEachOnce } from './whole-and-once.ts';

export const tenantsHaveKeys = ({ farEnd }: Pick<Bench, 'farEnd'>): boolean => keyStepOf(farEnd.provider) !== null;

export const keyCases: readonly GroupCase[] = [
  {
    name: 'the key that the tenant gets is stored, and is in no result',
    concerns: tenantsHaveKeys,
    async run({ tenant }) {
      const acme = tenant();
      await acme.onboard();
      const issued = await acme.issuedKey();
      expectThat(issued !== undefined && issued.secret !== '', 'no key is stored');
      expectThat(!JSON.stringify(acme.ids).includes(issued.secret), 'the register has the key');
      await acme.undo();
      expectThat((await acme.issuedKey()) === undefined, 'it is still stored');
    },
  },
  {
    name: 'a key whose answer was lost is replaced by one that sendoff holds',
    concerns: ({ farEnd }) => (farEnd.whole['api-keys'] ?? 0) > 0,
    async run({ tenant, farEnd, installation }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      await acme.verify();
      loseEachOnce(installation, isPost);
      await acme.onboard();
      const issued = await acme.issuedKey();
      expectThat(
        issued?.id === (farEnd.provider === undefined ? acme.ids.keyId : acme.ids.senderId),
        'another key is stored',
      );
      expectHeld(await acme.held(), farEnd.whole);
      await acme.undo();
    },
  },
  {
    name: 'a key that a person has revoked does not stop the undo',
    targets: ['fake'],
    concerns: ({ farEnd }) => farEnd.fake?.revokeKeys !== undefined,
    async run({ tenant, farEnd }) {
      const acme = tenant();
      await acme.onboard();
      farEnd.fake?.revokeKeys?.(acme.mark);
      await expectUndone(acme);
    },
  },
];

export const deliverCases: readonly GroupCase[] = [
  ...(['bounced', 'suppressed'] as const).map((ending): GroupCase => ({
    name: `an email to an address that is ${ending === 'bounced' ? 'refused' : 'suppressed'} ends as bounced`,
    concerns: ({ farEnd }) => farEnd.provider !== undefined || ending === 'bounced',
    async run({ tenant }) {
      const acme = tenant({ ending });
      const outcome = await acme.onboard();
      expectThat(outcome.status === 'bounced', `it ended as ${outcome.status}`);
      expectThat(outcome.bounce.reason !== '', 'the bounce has no reason');
      await acme.undo();
    },
  })),
  {
    name: 'an email that is deferred first ends as delivered',
    async run({ tenant }) {
      const acme = tenant({ ending: 'deferred' });
      const { status } = await acme.onboard();
      expectThat(status === 'delivered', `it ended as ${status}`);
      await acme.undo();
    },
  },
];
