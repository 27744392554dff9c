import { randomInt } from 'node:crypto';
import {
  CHECKING_DISABLED,
  encode,
  RECURSION_DESIRED,
  type DecodedPacket,
  type OptAnswer,
  type Question,
  type RecordType,
} from 'dns-packet';
import type { FailureReason, LookUpType } from './answer.ts';
import { decodeMessage } from './decode-message.ts';
import type { ServerAddress } from './server-address.ts';
import { exchangeByTcp, exchangeByUdp } from './wire-exchange.ts';

export interface AskOptions {
  readonly recursionDesired: boolean;
  /** The CD bit, RFC 4035 section 3.2.2: a validating resolver also returns records with invalid signatures. @default false */
  readonly checkingDisabled?: boolean;
  /**
   * For a server that may know names in lower case only, and for a resolver that may ask one: BIND passes the case on. `twice`
   * is as safe from forged answers as a random case. @default a random case
   */
  readonly inLowerCase?: 'once' | 'twice';
  /** For each exchange; a question takes two of them, and up to eight with a server that has several faults. */
  readonly timeoutMs: number;
}

export type ServerReply =
  | {
      readonly packet: DecodedPacket;
      readonly rcode: number;
      /** The question had capital letters, so the server knows names in any case if it has an answer. */
      readonly hadCapitals: boolean;
    }
  | { readonly failure: FailureReason };

export const Rcode = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;

/** dns-packet knows type SPF, but its types do not list it. */
export const packetType = (type: LookUpType): RecordType => type as RecordType;

/** Allows larger answers over UDP (RFC 6891): what fits in the packets of every path, so that none is fragmented (DNS flag day 2020). */
export const EDNS: OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/**
 * Asks one server one question: by UDP with EDNS (RFC 6891), by TCP when the answer is truncated or repeats the question in
 * another case, and without EDNS when the server does not know it. After a timeout it asks in lower case, as resolvers do.
 */
export async function askServer(
  to: ServerAddress,
  name: string,
  type: LookUpType,
  options: AskOptions,
): Promise<ServerReply> {
  const { inLowerCase } = options;
  // A forged answer must match the ID, the source port and the case of every letter.
  const first = inLowerCase === undefined ? await askInCase(to, withRandomCase(name), type, options) : 'timeout';
  if (first !== 'timeout') return first;
  // Without the letters' case, a forged answer must match two IDs and two source ports.
  const second = await askInCase(to, name.toLowerCase(), type, options);
  if (second === 'timeout') return { failure: 'timeout' };
  if (inLowerCase === 'once' || 'failure' in second || !hasRecords(second.packet)) return second;
  const third = await askInCase(to, name.toLowerCase(), type, options);
  if (third === 'timeout') return { failure: 'timeout' };
  return 'failure' in third || contentOf(third) === contentOf(second) ? third : { failure: 'malformed' };
}

/** Only records make a forgery worthwhile: a denial is what the server said before, or a failure like its silence. */
const hasRecords = ({ answers = [], authorities = [] }: DecodedPacket): boolean =>
  answers.length > 0 || authorities.some(({ type }) => type === 'NS');

/** `timeout` also without an answer that can be believed. */
async function askInCase(
  to: ServerAddress,
  name: string,
  type: LookUpType,
  options: AskOptions,
): Promise<ServerReply | 'timeout'> {
  const first = await askOnce(to, name, type, options, true);
  const knowsNoEdns =
    first !== 'timeout' &&
    'packet' in first &&
    (first.rcode === Rcode.formErr || first.rcode === Rcode.notImp) &&
    !first.packet.additionals?.some((record) => record.type === 'OPT');
  return knowsNoEdns ? askOnce(to, name, type, options, false) : first;
}

async function askOnce(
  to: ServerAddress,
  name: string,
  type: LookUpType,
  options: AskOptions,
  edns: boolean,
): Promise<ServerReply | 'timeout'> {
  const question: Question = { name, type: packetType(type), class: 'IN' };
  const id = randomInt(0x1_0000);
  const query = encodeQuery(id, question, flagsOf(options), edns);
  const read = (message: Buffer): Reply | undefined => readReply(message, id, question);

  const byUdp = await exchangeByUdp(to, query, read, options.timeoutMs);
  if ('failure' in byUdp) return byUdp.failure === 'timeout' ? 'timeout' : byUdp;
  const { packet, sameCase } = byUdp.reply;
  if (sameCase && !packet.flag_tc) return asAsked(byUdp.reply, name);
  const byTcp = await exchangeByTcp(to, query, read, options.timeoutMs);
  if ('reply' in byTcp) return asAsked(byTcp.reply, name);
  return sameCase ? byTcp : 'timeout';
}

function asAsked({ packet }: Reply, name: string): ServerReply {
  const opt = packet.additionals?.find((record) => record.type === 'OPT');
  const upperBits = opt?.type === 'OPT' ? opt.extendedRcode << 4 : 0;
  return { packet, rcode: upperBits | ((packet.flags ?? 0) & 0xf), hadCapitals: name !== name.toLowerCase() };
}

/** What an answer says, whatever its TTLs and the order of its records. */
function contentOf(asked: ServerReply): string {
  if ('failure' in asked) return asked.failure;
  const records = (asked.packet.answers ?? []).map(({ name, type, ...rest }) =>
    JSON.stringify([name.toLowerCase(), type, 'data' in rest ? rest.data : '']),
  );
  return [asked.rcode, ...records.sort()].join('\n');
}

interface Reply {
  readonly packet: DecodedPacket;
  /** Some servers do not repeat the case of the question; over TCP it does not matter. */
  readonly sameCase: boolean;
}

function readReply(message: Buffer, id: number, question: Question): Reply | undefined {
  if (message.length < 12 || message.readUInt16BE(0) !== id) return undefined;
  const packet = decodeMessage(message);
  if (!packet.flag_qr) return undefined;
  const asked = packet.questions?.[0];
  // Servers that cannot read a query answer without the question.
  if (asked === undefined)
    return ((packet.flags ?? 0) & 0xf) === Rcode.noError ? undefined : { packet, sameCase: true };
  if (asked.type !== question.type || asked.name.toLowerCase() !== question.name.toLowerCase()) return undefined;
  return { packet, sameCase: asked.name === question.name };
}

function flagsOf({ recursionDesired, checkingDisabled = false }: AskOptions): number {
  return (recursionDesired ? RECURSION_DESIRED : 0) | (checkingDisabled ? CHECKING_DISABLED : 0);
}

/** A query in wire form. */
export function encodeQuery(id: number, question: Question, flags: number, edns: boolean): Buffer {
  return encode({
    type: 'query',
    id,
    flags,
    questions: [question],
    additionals: edns ? [EDNS] : [],
  });
}

/** With a capital letter at least, because the answer shows whether the server knows names with some. */
function withRandomCase(name: string): string {
  const mixed = name.replace(/[a-z]/g, (letter) => (randomInt(2) === 0 ? letter : letter.toUpperCase()));
  return mixed === name ? name.toUpperCase() : mixed;
}
