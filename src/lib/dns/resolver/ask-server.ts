import { randomInt } from 'node:crypto';
import {
  CHECKING_DISABLED,
  decode,
  encode,
  RECURSION_DESIRED,
  type DecodedPacket,
  type Question,
  type RecordType,
} from 'dns-packet';
import type { FailureReason, LookUpType } from './answer.ts';
import type { ServerAddress } from './server-address.ts';
import { exchangeByTcp, exchangeByUdp, type Exchanged } from './wire-exchange.ts';

export interface AskOptions {
  readonly recursionDesired: boolean;
  /** The CD bit, RFC 4035 section 3.2.2: a validating resolver also returns records with invalid signatures. @default false */
  readonly checkingDisabled?: boolean;
  /** For each exchange; a question takes at most three of them, or six without EDNS. */
  readonly timeoutMs: number;
}

export type Asked = { readonly packet: DecodedPacket; readonly rcode: number } | { readonly failure: FailureReason };

export const Rcode = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;

/** dns-packet knows type SPF, but its types do not list it. */
export const packetType = (type: LookUpType): RecordType => type as RecordType;

/** Fits in the packets of every path, so that no answer is fragmented: DNS flag day 2020. */
const UDP_PAYLOAD_BYTES = 1232;

/**
 * Asks one server one question: by UDP with EDNS (RFC 6891), once more after a timeout, by TCP when the answer is truncated
 * or repeats the question in another case, and without EDNS when the server does not know it.
 */
export async function askServer(
  to: ServerAddress,
  name: string,
  type: LookUpType,
  options: AskOptions,
): Promise<Asked> {
  const first = await askOnce(to, name, type, options, true);
  const knowsNoEdns =
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
): Promise<Asked> {
  // A forged answer must match the ID, the source port and the case of every letter.
  const question: Question = { name: withRandomCase(name), type: packetType(type), class: 'IN' };
  const id = randomInt(0x1_0000);
  const query = encodeQuery(id, question, flagsOf(options), edns);
  const read = (message: Buffer): Reply | undefined => readReply(message, id, question);

  let result = await exchangeByUdp(to, query, read, options.timeoutMs);
  if ('failure' in result && result.failure === 'timeout') {
    result = await exchangeByUdp(to, query, read, options.timeoutMs);
  }
  if ('reply' in result && (result.reply.packet.flag_tc || !result.reply.sameCase)) {
    result = await exchangeByTcp(to, query, read, options.timeoutMs);
  }
  return asAsked(result);
}

function asAsked(result: Exchanged<Reply>): Asked {
  if ('failure' in result) return result;
  const { packet } = result.reply;
  const opt = packet.additionals?.find((record) => record.type === 'OPT');
  const upperBits = opt?.type === 'OPT' ? opt.extendedRcode << 4 : 0;
  return { packet, rcode: upperBits | ((packet.flags ?? 0) & 0xf) };
}

interface Reply {
  readonly packet: DecodedPacket;
  /** Some servers do not repeat the case of the question; over TCP it does not matter. */
  readonly sameCase: boolean;
}

function readReply(message: Buffer, id: number, question: Question): Reply | undefined {
  if (message.length < 12 || message.readUInt16BE(0) !== id) return undefined;
  const packet = decode(message);
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

/** A query in wire form; with `edns`, an OPT record that allows larger UDP answers (RFC 6891). */
export function encodeQuery(id: number, question: Question, flags: number, edns: boolean): Buffer {
  return encode({
    type: 'query',
    id,
    flags,
    questions: [question],
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: UDP_PAYLOAD_BYTES,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  });
}

function withRandomCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => (randomInt(2) === 0 ? letter : letter.toUpperCase()));
}
