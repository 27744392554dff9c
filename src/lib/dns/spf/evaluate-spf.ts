// Evaluates an SPF record as a receiver does, RFC 7208 section 4, with the DNS answers that are known so far.
import type { AliasFault, DnsQuestion, LookUpType, ServerFailure } from '../resolver/answer.ts';
import { fitsInDns } from '../names/domain-name.ts';
import { expandMacros, reverseName } from './spf-macro.ts';
import { covers, isSingle, networkAt, type Network } from './spf-network.ts';
import { isSpf, parseSpf, type ReadSpf, type SpfTerm } from './spf-record.ts';

/** RFC 7208 section 4.6.4. All receivers enforce the first two limits, nearly all the third. */
export const SPF_LOOKUPS_MAX = 10;
export const SPF_MX_HOSTS_MAX = 10;
export const SPF_VOID_LOOKUPS_MAX = 2;

/** Undefined when the question has not been asked yet; an empty list when there is no record. */
export type KnownDns = (
  question: DnsQuestion,
) =>
  readonly string[] | { readonly failed: readonly ServerFailure[] } | { readonly aliasFault: AliasFault } | undefined;

/** Receivers treat an endless alias as a temporary error (section 2.6.6), but only its zone's owner can correct it. */
export type SpfError = 'syntax' | 'include' | 'lookups' | 'mxHosts' | 'voidLookups' | AliasFault;

export type SpfEvaluation =
  /** @property by the term that matched; undefined when none did */
  | { readonly kind: 'decided'; readonly passes: boolean; readonly by: SpfTerm | undefined }
  /** RFC 7208 section 2.6.7. @property name the domain whose record, or whose MX records, are the cause */
  | { readonly kind: 'permanentError'; readonly error: SpfError; readonly name: string }
  /** RFC 7208 section 2.6.6. */
  | { readonly kind: 'temporaryError'; readonly failures: readonly ServerFailure[] }
  | { readonly kind: 'unread'; readonly questions: readonly DnsQuestion[] }
  /** A term matches only some of the addresses. */
  | { readonly kind: 'divided' }
  /** A term other than `+` depends on the message. */
  | { readonly kind: 'depends' };

export interface SpfQuestion {
  /** The domain of the envelope sender. */
  readonly domain: string;
  readonly record: string;
  /** The network whose addresses send. */
  readonly client: Network;
  readonly known: KnownDns;
  /** @default parseSpf */
  readonly read?: ReadSpf;
}

export function evaluateSpf({ domain, record, client, known, read = parseSpf }: SpfQuestion): SpfEvaluation {
  const evaluation = new Evaluation(domain, client, known, read);
  try {
    return evaluation.checkHost(domain, record);
  } catch (stopped) {
    if (stopped instanceof Stopped) return stopped.evaluation;
    throw stopped;
  }
}

/** Ends an evaluation from within an include. */
class Stopped extends Error {
  readonly evaluation: SpfEvaluation;
  constructor(evaluation: SpfEvaluation) {
    super(evaluation.kind);
    this.evaluation = evaluation;
  }
}

type Match = 'yes' | 'no' | 'depends';

class Evaluation {
  private lookups = 0;
  private voidLookups = 0;

  private readonly sender: string;
  private readonly client: Network;
  private readonly known: KnownDns;
  private readonly read: ReadSpf;

  constructor(sender: string, client: Network, known: KnownDns, read: ReadSpf) {
    this.sender = sender;
    this.client = client;
    this.known = known;
    this.read = read;
  }

  checkHost(domain: string, record: string): Extract<SpfEvaluation, { kind: 'decided' }> {
    // Receivers parse the whole record first: one unreadable term voids it.
    const terms = this.read(record);
    if (terms === undefined) throw permanentError('syntax', domain);
    if (terms.some((term) => term.name === 'include' && this.targetOf(term, domain) === domain)) {
      throw permanentError('include', domain);
    }
    const redirect = terms.find((term) => term.kind === 'modifier' && term.name === 'redirect');
    // Some receivers count it even when an earlier term matches.
    if (redirect !== undefined) this.countLookup(domain);
    for (const term of terms.filter(({ kind }) => kind === 'mechanism')) {
      const match = this.match(term, domain);
      if (match === 'depends' && (term.qualifier !== '+' || term.name === 'include')) {
        throw new Stopped({ kind: 'depends' });
      }
      if (match === 'yes') return { kind: 'decided', passes: term.qualifier === '+', by: term };
    }
    if (redirect === undefined) return { kind: 'decided', passes: false, by: undefined };
    const target = this.targetOf(redirect, domain);
    if (target === undefined) throw new Stopped({ kind: 'depends' });
    return this.checkHost(target, this.recordAt(target));
  }

  private match(term: SpfTerm, domain: string): Match {
    if (term.name === 'all') return 'yes';
    if (term.network !== undefined) return this.isIn([term.network]);
    this.countLookup(domain);
    if (term.name === 'ptr') return this.matchPtr(term, domain);
    const target = this.targetOf(term, domain);
    if (target === undefined) return 'depends';
    if (term.name === 'include') return this.checkHost(target, this.recordAt(target)).passes ? 'yes' : 'no';
    if (term.name === 'exists') return this.ask(target, 'A').length > 0 ? 'yes' : 'no';
    const addresses = term.name === 'mx' ? this.addressesOfMx(target) : this.addressesOf(target);
    const prefixBits = term.prefixBits[this.client.address.kind()];
    return this.isIn(addresses.flatMap((address) => networkAt(address, prefixBits) ?? []));
  }

  private matchPtr(term: SpfTerm, domain: string): Match {
    const target = this.targetOf(term, domain);
    if (target === undefined || !isSingle(this.client)) return 'depends';
    // RFC 7208 section 5.5: names that lead to an error are skipped.
    const isEndless = (question: DnsQuestion): boolean => 'aliasFault' in (this.known(question) ?? {});
    const reverse = { name: reverseName(this.client), type: 'PTR' } as const;
    const hosts = isEndless(reverse) ? [] : this.ask(reverse.name, reverse.type).slice(0, SPF_MX_HOSTS_MAX);
    const validated = hosts.filter((host) => {
      if (isEndless(this.questionFor(host))) return false;
      const networks = this.addressesOf(host).flatMap((address) => networkAt(address) ?? []);
      return networks.some((network) => covers(network, this.client));
    });
    return validated.some((host) => host === target || host.endsWith(`.${target}`)) ? 'yes' : 'no';
  }

  /** The only SPF record at a name that an include or redirect names, RFC 7208 section 5.2. */
  private recordAt(name: string): string {
    const [only, ...others] = this.ask(name, 'TXT').filter(isSpf);
    if (only === undefined || others.length > 0) throw permanentError('include', name);
    return only;
  }

  private addressesOfMx(name: string): readonly string[] {
    const hosts = this.ask(name, 'MX').map((value) => value.replace(/^\d+ /, ''));
    if (hosts.length > SPF_MX_HOSTS_MAX) throw permanentError('mxHosts', name);
    const unread = hosts.map((host) => this.questionFor(host)).filter((one) => fitsInDns(one.name) && !this.known(one));
    if (unread.length > 0) throw new Stopped({ kind: 'unread', questions: unread });
    return hosts.flatMap((host) => this.addressesOf(host));
  }

  private addressesOf(host: string): readonly string[] {
    const { name, type } = this.questionFor(host);
    return this.ask(name, type);
  }

  private questionFor(name: string): DnsQuestion {
    return { name, type: this.client.address.kind() === 'ipv4' ? 'A' : 'AAAA' };
  }

  private ask(name: string, type: LookUpType): readonly string[] {
    // A name that cannot be in DNS has no records.
    if (!fitsInDns(name)) return [];
    const answer = this.known({ name, type });
    if (answer === undefined) throw new Stopped({ kind: 'unread', questions: [{ name, type }] });
    if ('failed' in answer) throw new Stopped({ kind: 'temporaryError', failures: answer.failed });
    if ('aliasFault' in answer) throw permanentError(answer.aliasFault, name);
    if (answer.length === 0) {
      this.voidLookups += 1;
      if (this.voidLookups > SPF_VOID_LOOKUPS_MAX) throw permanentError('voidLookups', name);
    }
    return answer;
  }

  private countLookup(domain: string): void {
    this.lookups += 1;
    if (this.lookups > SPF_LOOKUPS_MAX) throw permanentError('lookups', domain);
  }

  private targetOf(term: SpfTerm, domain: string): string | undefined {
    if (term.target === '') return domain;
    return expandMacros(term.target, { domain, sender: this.sender, client: this.client });
  }

  private isIn(networks: readonly Network[]): Match {
    if (networks.some((network) => covers(network, this.client))) return 'yes';
    if (networks.some((network) => covers(this.client, network))) throw new Stopped({ kind: 'divided' });
    return 'no';
  }
}

function permanentError(error: SpfError, name: string): Stopped {
  return new Stopped({ kind: 'permanentError', error, name });
}
