import { stepRows } from '../../onboarding/steps.ts';
import {
  type Bench,
  type GroupCase,
  expectHeld,
  expectOnboarded,
  expectUndone,
  expectThat,
  failureOf,
} from '../conformance-case.ts';
import type { Installation } from '../installation.ts';
import type { RelayFault, RelayedExchange } from '../../dev/relay.ts';

const DAY_MS = 86_400_000;

/** A request that may create something. */
export const isPost = ({ method }: RelayedExchange): boolean => method === 'POST' || method === 'PUT';

/** Gives the fault to the requests that fit, each once: a repetition passes. Returns those that had it so far. */
export function hitEachOnce(
  { relay }: Installation,
  fits: (exchange: RelayedExchange) => boolean,
  fault: RelayFault,
): ReadonlySet<string> {
  const hit = new Set<string>();
  relay.fault = (exchange) => {
    const key = `${exchange.method} ${exchange.path}`;
    if (!fits(exchange) || hit.has(key)) return undefined;
    hit.add(key);
    return fault;
  };
  return hit;
}

export const loseEachOnce = (installation: Installation, fits: (exchange: RelayedExchange) => boolean) =>
  hitEachOnce(installation, fits, { when: 'after', answer: 'reset' });

/** How many requests an onboarding makes, which a case then disturbs one by one. Not the first, for which an adapter may read what all share. */
async function requestsOfOnboarding({ tenant, installation: { relay } }: Bench): Promise<number> {
  await tenant().onboard();
  const ofFirst = relay.exchanges.length;
  await tenant().onboard();
  const requests = relay.exchanges.length - ofFirst;
  expectThat(requests > 3, 'the relay saw no onboarding');
  return requests;
}

export const wholeCases: readonly GroupCase[] = [
  {
    name: 'a tenant is onboarded, and has one of each',
    async run({ tenant, farEnd }) {
      const acme = tenant();
      const { status } = await acme.onboard();
      expectThat(status === 'delivered', `the email is ${status}`);
      expectHeld(await acme.held(), farEnd.whole);
      await expectUndone(acme);
    },
  },
  {
    name: 'two tenants at once have one of each, and the undo of one leaves the other',
    async run({ tenant, farEnd }) {
      const [acme, other] = [tenant(), tenant()];
      await Promise.all([acme.onboard(), other.onboard()]);
      await expectUndone(acme);
      expectHeld(await other.held(), farEnd.whole);
      await other.undo();
    },
  },
  {
    name: 'the next onboarding of a tenant whose domain was kept has the same records',
    async run({ tenant }) {
      const acme = tenant();
      await acme.runTo('registerDomain');
      const values = () => acme.ids.records.map(({ type, name, value }) => `${type} ${name} ${value}`);
      const before = values();
      await acme.undo({ keepDomain: true });
      await acme.startAgain();
      await acme.runTo('registerDomain');
      expectThat(before.length > 0 && before.join() === values().join(), 'the records differ');
      await expectUndone(acme);
    },
  },
];

export const onceCases: readonly GroupCase[] = [
  {
    name: 'the answer to each creating request is lost, and each resource exists once',
    async run({ tenant, farEnd, installation }) {
      const acme = tenant();
      loseEachOnce(installation, isPost);
      await acme.onboard();
      expectThat(installation.failures.length > 0, 'no answer was lost');
      expectHeld(await acme.held(), farEnd.whole);
      await expectUndone(acme);
    },
  },
  {
    name: 'the answer to each request in turn is lost, and each resource exists once',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const {
        tenant,
        installation: { relay },
      } = bench;
      const requests = await requestsOfOnboarding(bench);
      for (let lost = 0; lost < requests; lost += 1) {
        const acme = tenant();
        const first = relay.exchanges.length;
        relay.fault = (_, number) => (number === first + lost ? { when: 'after', answer: 'reset' } : undefined);
        await expectOnboarded(bench, acme);
        await expectUndone(acme);
      }
    },
  },
  {
    name: 'a Worker dies before or after each request in turn, and each resource exists once',
    targets: ['embedded', 'fake'],
    async run(bench) {
      const {
        tenant,
        installation: { relay },
      } = bench;
      const requests = await requestsOfOnboarding(bench);
      for (let at = 0; at < 2 * requests; at += 1) {
        const acme = tenant();
        const first = relay.exchanges.length;
        const when = at % 2 === 0 ? 'before' : 'after';
        let die = (): void => undefined;
        const dead = new Promise<void>((resolve) => (die = resolve));
        relay.fault = (_, number) => {
          if (number !== first + Math.floor(at / 2)) return undefined;
          setImmediate(die);
          return { when, answer: 'silence' };
        };
        // The Activity of the dead Worker never ends; another Worker performs the same steps from the beginning.
        const died = await Promise.race([dead.then(() => true), acme.onboard().then(() => false)]);
        expectThat(died, `the request ${Math.floor(at / 2)} did not come`);
        relay.fault = () => undefined;
        await expectOnboarded(bench, acme, acme.repeat);
        await expectUndone(acme);
      }
    },
  },
  {
    name: 'every step is repeated with the same input, and each resource exists once',
    async run({ tenant, farEnd }) {
      const acme = tenant();
      for (const { step } of stepRows) {
        await acme.runTo(step);
        await acme.perform(step);
      }
      expectHeld(await acme.held(), farEnd.whole);
      await expectUndone(acme);
    },
  },
  {
    name: 'an email whose answer is lost for a day is sent at most once, and its outcome is known or reported',
    targets: ['embedded', 'fake'],
    async run({ tenant, installation }) {
      const acme = tenant();
      await acme.runTo('createSender');
      const isEmail = (exchange: RelayedExchange) => isPost(exchange) && exchange.requestBody.includes(acme.recipient);
      installation.relay.fault = (exchange) => (isEmail(exchange) ? { when: 'after', answer: 'reset' } : undefined);
      const attempt = await failureOf(acme.perform('sendFirstEmail', { attempts: 1 }));
      expectThat(attempt.type === 'ProviderUnavailable', `the lost answer was reported as ${attempt.type}`);
      installation.pass(DAY_MS);
      installation.relay.fault = () => undefined;
      const sent = await acme.perform('sendFirstEmail').then(
        () => 'known',
        (error: unknown) => (error as { type?: string }).type,
      );
      expectThat(sent === 'known' || sent === 'SendOutcomeUnknown', `the outcome is ${sent}`);
      if (sent === 'known') await acme.outcome();
      expectHeld(await acme.held(), { emails: 1 });
      await acme.undo();
    },
  },
  {
    name: 'an accepted email is not sent again by a second onboarding with the same text',
    async run({ tenant }) {
      const acme = tenant();
      await acme.onboard();
      await acme.undo({ keepDomain: true });
      await acme.startAgain();
      await acme.onboard();
      expectHeld(await acme.held(), { emails: 1 });
      await acme.undo();
    },
  },
];
