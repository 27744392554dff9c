// An account that sends to dead addresses as fast as it is answered: `POST /flood` begins, `GET /flood` says what the answers were.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createCaller } from '../caller.ts';
import { RECIPIENT_DOMAINS } from './senders.ts';
import { DEAD } from './smtp-sink.ts';

const { PORT = '', URLS = '', TOKEN = '', SENDER_ID = '', CONNECTIONS = '', EMAILS = '' } = process.env;
const callers = URLS.split(' ').map((url) => createCaller({ url, token: TOKEN }));
const answers: Record<string, number> = {};
let sent = 0;

async function flood(): Promise<void> {
  while (sent < Number(EMAILS)) {
    const number = sent++;
    const domain = RECIPIENT_DOMAINS[number % RECIPIENT_DOMAINS.length] ?? '';
    const email = { recipient: `${DEAD}${number}@${domain}`, subject: 'Hi', body: 'It works.\n'.repeat(50) };
    const status = await callers[number % callers.length]?.postText(
      ...(['/emails', JSON.stringify({ ...email, sender_id: SENDER_ID })] as const),
      { 'idempotency-key': randomUUID() },
    );
    answers[String(status)] = (answers[String(status)] ?? 0) + 1;
  }
}

createServer((request, response) => {
  if (request.method === 'POST') for (let each = 0; each < Number(CONNECTIONS); each++) void flood();
  response.end(JSON.stringify(answers));
}).listen(Number(PORT), '127.0.0.1');
