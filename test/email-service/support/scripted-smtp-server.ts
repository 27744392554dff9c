import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export type SmtpStep =
  'greeting' | 'ehlo' | 'auth' | 'starttls' | 'handshake' | 'mail' | 'rcpt' | 'data' | 'message' | 'quit';

/**
 * `hangUp` closes the connection without a reply, `silence` keeps it open without a reply. With `then`, the connection ends
 * right after the reply, by FIN or RST, or stays open and nothing more of it is read (`stall`); `inPieces` sends the reply byte by byte.
 */
export type SmtpAnswer =
  string | { readonly say: string; readonly then: 'close' | 'reset' | 'stall'; readonly inPieces?: boolean };

export interface ScriptedSmtpServer {
  readonly port: number;
  /** Messages whose final dot arrived, with any reply. */
  readonly messages: readonly string[];
  /** Every command line of every connection. */
  readonly commands: readonly string[];
  /** Changes the replies from now on, on every connection. */
  answer(steps: Partial<Record<SmtpStep, SmtpAnswer>>): void;
  /** Sends it now on every open connection. After a 354, the client sends its message. */
  say(line: string): void;
  closeConnections(): void;
  stop(): Promise<void>;
}

const FRIENDLY: Record<SmtpStep, SmtpAnswer> = {
  greeting: '220 mx.inbox.test ESMTP',
  ehlo: '250-mx.inbox.test\r\n250 PIPELINING',
  auth: '235 2.7.0 welcome',
  starttls: '220 2.0.0 go ahead',
  // The reply to the client's first TLS record, because this server has no certificate.
  handshake: 'hangUp',
  mail: '250 2.1.0 ok',
  rcpt: '250 2.1.5 ok',
  data: '354 go ahead',
  message: '250 2.0.0 kept',
  quit: '221 2.0.0 bye',
};

/** An SMTP server that replies exactly as a test scripts it, even against the RFCs. */
export async function startScriptedSmtpServer(
  script: Partial<Record<SmtpStep, SmtpAnswer>> = {},
  { host = '127.0.0.1', port = 0 } = {},
): Promise<ScriptedSmtpServer> {
  let answers = { ...FRIENDLY, ...script };
  const messages: string[] = [];
  const commands: string[] = [];
  const sockets = new Map<Socket, (line: string) => void>();
  const server = createServer((socket) => {
    sockets.set(
      socket,
      serve(socket, () => answers, messages, commands),
    );
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return {
    port: address.port,
    messages,
    commands,
    answer: (steps) => {
      answers = { ...answers, ...steps };
    },
    say: (line) => {
      for (const say of sockets.values()) say(line);
    },
    closeConnections: () => {
      for (const socket of sockets.keys()) socket.end();
    },
    stop: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const END_OF_MESSAGE = '\r\n.\r\n';

/** @returns says a line */
function serve(
  socket: Socket,
  answers: () => Record<SmtpStep, SmtpAnswer>,
  messages: string[],
  commands: string[],
): (line: string) => void {
  let received = '';
  let tail = '';
  let inMessage = false;
  let inHandshake = false;
  const say = (step: SmtpStep): void => {
    const answer = answers()[step];
    if (answer === 'hangUp') socket.destroy();
    else if (typeof answer !== 'string') void sayLastWord(socket, answer);
    else if (answer !== 'silence') socket.write(`${answer}\r\n`);
  };
  say('greeting');
  socket.on('data', (chunk) => {
    if (inHandshake) {
      say('handshake');
      return;
    }
    const text = chunk.toString('latin1');
    received += text;
    const recent = tail + text;
    tail = recent.slice(-4);
    // Searching all of a large message again for each chunk takes seconds.
    if (inMessage && !recent.includes(END_OF_MESSAGE)) return;
    for (;;) {
      const end = inMessage ? END_OF_MESSAGE : '\r\n';
      const at = received.indexOf(end);
      if (at === -1) return;
      const text = received.slice(0, at);
      received = received.slice(at + end.length);
      if (inMessage) {
        messages.push(text.slice('\r\n'.length));
        inMessage = false;
        say('message');
        continue;
      }
      commands.push(text);
      const step = stepOf(text);
      say(step);
      inHandshake = step === 'starttls' && positive(answers().starttls, '220');
      if (step === 'data' && positive(answers().data, '354')) expectMessage();
    }
  });
  function expectMessage(): void {
    inMessage = true;
    // An empty message is only the final dot.
    received = `\r\n${received}`;
  }
  return (line) => {
    socket.write(`${line}\r\n`);
    if (line.startsWith('354')) expectMessage();
  };
}

async function sayLastWord(socket: Socket, answer: Exclude<SmtpAnswer, string>): Promise<void> {
  const text = `${answer.say}\r\n`;
  socket.setNoDelay(true);
  for (const piece of answer.inPieces === true ? text : [text])
    await new Promise<void>((resolve) => {
      socket.write(piece, () => {
        resolve();
      });
    });
  if (answer.then === 'stall') socket.pause();
  else if (answer.then === 'close') socket.end();
  else socket.resetAndDestroy();
}

const positive = (answer: SmtpAnswer, code: string): boolean => typeof answer === 'string' && answer.startsWith(code);

function stepOf(command: string): SmtpStep {
  const verb = command.split(' ')[0]?.toLowerCase();
  if (verb === 'ehlo' || verb === 'helo') return 'ehlo';
  if (verb === 'auth' || verb === 'starttls' || verb === 'mail' || verb === 'rcpt' || verb === 'data') return verb;
  return 'quit';
}
