import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet';
import { answerFromZones } from '../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../src/dev/world/zone-record.ts';

/** What a name server does wrong. */
export type ServerFault =
  | {
      readonly kind: 'lowerCaseOnly';
      /** Its answer to a question with capital letters. */
      readonly otherwise: 'nxDomain' | 'noData' | 'refused' | 'servfail' | 'silent';
    }
  /** Its answer to a question with EDNS (RFC 6891), which older servers do not know. */
  | { readonly kind: 'withoutEdns'; readonly otherwise: 'notImp' | 'formErr' }
  | { readonly kind: 'repeatsInLowerCase' }
  | { readonly kind: 'noAuthority' }
  /** Each record is in the answer twice. */
  | { readonly kind: 'repeatsRecords' }
  /** Its answers with records deny the name. */
  | { readonly kind: 'deniesItsRecords' }
  /** Every second answer about the name has other records. */
  | { readonly kind: 'inTurn'; readonly owner: string; readonly instead: readonly ZoneRecord[] }
  /** Load balancers and old programs know addresses and texts alone. */
  | { readonly kind: 'knowsFewTypes'; readonly otherwise: 'nxDomain' | 'noData' | 'refused' | 'servfail' | 'notImp' }
  /** Its denials have no SOA record, so that no resolver may cache them (RFC 2308 section 5). */
  | { readonly kind: 'deniesWithoutSoa' }
  /** A name without records does not exist for it, although others are below. */
  | { readonly kind: 'deniesEmptyNames' };

export interface FaultyNameServer {
  stop(): Promise<void>;
}

const RCODES = {
  nxDomain: AUTHORITATIVE_ANSWER | 3,
  noData: AUTHORITATIVE_ANSWER,
  formErr: 1,
  servfail: 2,
  notImp: 4,
  refused: 5,
};

const SLOWEST_MS = 16;

/** Serves zones over UDP, with one fault. */
export async function startFaultyNameServer(
  { host, port }: { readonly host: string; readonly port: number },
  zones: readonly ZoneRecord[],
  { fault, listsServers = false }: { readonly fault?: ServerFault; readonly listsServers?: boolean } = {},
): Promise<FaultyNameServer> {
  let turn = 0;
  let isOver = false;
  const socket = createSocket('udp4');

  function answer(name: string, type: string, hasEdns: boolean): Packet | undefined {
    const lower = name.toLowerCase();
    if (fault?.kind === 'withoutEdns' && hasEdns) return { flags: RCODES[fault.otherwise] };
    if (fault?.kind === 'lowerCaseOnly' && name !== lower)
      return fault.otherwise === 'silent' ? undefined : { flags: RCODES[fault.otherwise] };
    if (fault?.kind === 'knowsFewTypes' && !['A', 'AAAA', 'TXT', 'CNAME'].includes(type))
      return { flags: RCODES[fault.otherwise] };
    const isTurn = fault?.kind === 'inTurn' && lower === fault.owner && type === 'TXT' && (turn += 1) % 2 === 0;
    const records = isTurn ? [...zones.filter((one) => one.name !== lower), ...fault.instead] : zones;
    const { flags, answers, authorities, additionals } = answerFromZones(records, lower, type);
    const isApex = zones.some((record) => record.name === lower && record.type === 'SOA');
    const isEmpty = answers.length === 0 && !zones.some((record) => record.name === lower);
    const denies = fault?.kind === 'deniesEmptyNames' && isEmpty && !isApex && (flags & AUTHORITATIVE_ANSWER) !== 0;
    const isHeld = fault?.kind === 'deniesItsRecords' && type === 'TXT' && answers.length > 0;
    const hasAuthority = fault?.kind !== 'noAuthority';
    const apex = zones.find((record) => record.type === 'SOA')?.name ?? '';
    const listed = listsServers && answers.length > 0 && type !== 'NS' ? answerFromZones(zones, apex, 'NS') : undefined;
    return {
      flags: (hasAuthority ? flags : flags & ~AUTHORITATIVE_ANSWER) | (denies || isHeld ? 3 : 0),
      answers: [...answers, ...(fault?.kind === 'repeatsRecords' ? answers : [])],
      authorities: [...(fault?.kind === 'deniesWithoutSoa' ? [] : authorities), ...(listed?.answers ?? [])],
      additionals: [...additionals, ...(listed?.additionals ?? [])],
    };
  }

  socket.on('message', (message, from) => {
    const { id = 0, questions = [], additionals = [] } = decode(message);
    const [question] = questions;
    const hasEdns = additionals.some(({ type }) => type === 'OPT');
    const response = question === undefined ? undefined : answer(question.name, question.type, hasEdns);
    if (response === undefined) return;
    const repeated =
      fault?.kind === 'repeatsInLowerCase'
        ? questions.map((one) => ({ ...one, name: one.name.toLowerCase() }))
        : questions;
    const encoded = encode({ type: 'response', id, questions: repeated, ...response });
    // Resolvers prefer the server that is faster just now; the random ID decides how fast each is.
    setTimeout(() => {
      if (!isOver) socket.send(encoded, from.port, from.address);
    }, id % SLOWEST_MS);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    async stop() {
      isOver = true;
      socket.close();
      await once(socket, 'close');
    },
  };
}
