// An account that sends to dead addresses as fast as it is answered, on every other connection a hundred at once, and on all as soon as it is
// refused: `POST /flood` begins, `GET /flood` says what the answers were.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createCaller } from '../caller.ts';
import { RECIPIENT_DOMAINS } from './senders.ts';
import { DEAD } from './smtp-sink.ts';

const { PORT = '', URLS = '', TOKEN = '', SENDER_ID = '', CONNECTIONS = '', EMAILS = '' } = process.env;
const callers = URLS.split(' ').map((url) => createCaller({ url, token: TOKEN }));
const answers: Record<string, number> = {};
let sent = 0;
let requests = 0;
const ACCEPTED = '202';
/** The most in one request. */
const BATCH = 100;

function deadEmail(number: number) {
  const domain = RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length] ?? '';
  const recipient = `${DEAD}${number}@${domain}`;
  return { sender_id: SENDER_ID, recipient, subject: 'Hi', body: 'It works.\n'.repeat(50) };
}

async function flood(connection: number): Promise<void> {
  while (sent < Number(EMAILS)) {
    const first = sent;
    const isRefused = Object.keys(answers).some((status) => status !== ACCEPTED);
    const isBatch = isRefused || connection % 2 === 1;
    const count = isBatch ? Math.min(BATCH, Number(EMAILS) - sent) : 1;
    sent += count;
    const emails = Array.from({ length: count }, (_, index) => deadEmail(first + index));
    const body = JSON.stringify(isBatch ? { emails } : emails[0]);
    requests += 1;
    const status = await callers[requests % callers.length]?.postText(
      ...([isBatch ? '/emails/batch' : '/emails', body] as const),
      { 'idempotency-key': randomUUID() },
    );
    answers[String(status)] = (answers[String(status)] ?? 0) + count;
  }
}

createServer((request, response) => {
  if (request.method === 'POST') for (let each = 0; each < Number(CONNECTIONS); each++) void flood(each);
  response.end(JSON.stringify(answers));
}).listen(Number(PORT), '127.0.0.1');
