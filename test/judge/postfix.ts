// A separate Postfix on loopback, with configuration, queue and log in one folder.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { portAnswers } from '../../src/dev/temporal/free-port.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { ToolsMissing, type Tools } from './tools.ts';

const run = promisify(execFile);

/** Accounts that every Debian system has: the owner of the queue, and the group for submissions. */
const OWNER = 'daemon';
const GROUP = 'mail';
const START_MS = 15_000;

export interface PostfixService {
  /** The prefix of the service's log lines: `LABEL/smtpd`. */
  readonly label: string;
  readonly port: number;
  readonly options: Readonly<Record<string, string>>;
}

export interface RunningPostfix {
  /** The log so far. */
  log(): Promise<string>;
  /** All messages in the mailbox of `person@inbox.test`. */
  mailbox(): Promise<string[]>;
  stop(): Promise<void>;
}

/** @throws ToolsMissing unless the process runs as root, which Postfix's master needs */
export async function startPostfix(
  tools: Tools,
  folder: string,
  services: readonly PostfixService[],
): Promise<RunningPostfix> {
  if (process.getuid?.() !== 0) throw new ToolsMissing("Postfix's master process needs root");
  const daemons = join(tools.debianRoot, 'usr/lib/postfix/sbin');
  const [config, queue, data, mail] = ['config', 'queue', 'data', 'mail'].map((name) => join(folder, name));
  if (config === undefined || queue === undefined || data === undefined || mail === undefined) throw new Error();
  for (const each of [config, queue, data, mail]) await mkdir(each, { recursive: true });
  // Postfix's processes enter the folder under other accounts.
  await chmod(folder, 0o755);
  const log = join(folder, 'postfix.log');
  await writeFile(join(config, 'main.cf'), mainCf({ tools, config, queue, data, mail, log, daemons }));
  await writeFile(join(config, 'master.cf'), masterCf(services));
  for (const [name, mode] of Object.entries(QUEUE_FOLDERS)) {
    await mkdir(join(queue, name), { recursive: true });
    await chmod(join(queue, name), mode);
  }
  const owned = Object.keys(QUEUE_FOLDERS).filter((name) => name !== 'pid');
  await run('chown', [OWNER, ...owned.map((name) => join(queue, name)), data, mail]);
  await run('chgrp', [GROUP, join(queue, 'maildrop'), join(queue, 'public')]);
  const master = spawn(join(daemons, 'master'), ['-c', config, '-d'], { env: tools.environment, stdio: 'ignore' });
  try {
    for (const { port } of services) await listening(port, master);
  } catch (error) {
    master.kill('SIGTERM');
    const said = await readFile(log, 'utf8').catch(() => '');
    throw new Error(`Postfix did not start: ${said.split('\n').slice(-5).join(' | ')}`, { cause: error });
  }
  const inbox = join(mail, 'inbox/new');
  return {
    log: () => readFile(log, 'utf8'),
    mailbox: async () =>
      Promise.all((await readdir(inbox).catch(() => [])).map((file) => readFile(join(inbox, file), 'latin1'))),
    stop: async () => {
      const ended = once(master, 'exit');
      master.kill('SIGTERM');
      await ended;
    },
  };
}

/** The modes that `postfix set-permissions` sets. */
const QUEUE_FOLDERS: Readonly<Record<string, number>> = {
  active: 0o700,
  bounce: 0o700,
  corrupt: 0o700,
  defer: 0o700,
  deferred: 0o700,
  flush: 0o700,
  hold: 0o700,
  incoming: 0o700,
  private: 0o700,
  saved: 0o700,
  trace: 0o700,
  maildrop: 0o730,
  public: 0o710,
  pid: 0o755,
};

interface Places {
  readonly tools: Tools;
  readonly config: string;
  readonly queue: string;
  readonly data: string;
  readonly mail: string;
  readonly log: string;
  readonly daemons: string;
}

const mainCf = ({ tools, queue, data, mail, log, daemons }: Places): string => `
compatibility_level = 3.6
daemon_directory = ${daemons}
command_directory = ${join(tools.debianRoot, 'usr/sbin')}
queue_directory = ${queue}
data_directory = ${data}
mail_owner = ${OWNER}
setgid_group = ${GROUP}
default_privs = nobody
maillog_file = ${log}
maillog_file_prefixes = ${log}
import_environment = MAIL_CONFIG MAIL_LOGTAG TZ LD_LIBRARY_PATH
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.inbox.test
mydestination =
mynetworks = 192.0.2.1/32
alias_maps =
local_recipient_maps =
disable_dns_lookups = yes
smtpd_relay_restrictions = reject_unauth_destination
smtpd_peername_lookup = no
virtual_mailbox_domains = inbox.test
virtual_mailbox_base = ${mail}
virtual_mailbox_maps = inline:{{person@inbox.test=inbox/}}
virtual_uid_maps = static:1
virtual_gid_maps = static:1
virtual_minimum_uid = 1
virtual_mailbox_limit = 0
`;

const PLUMBING = `
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
`;

const masterCf = (services: readonly PostfixService[]): string =>
  PLUMBING +
  services
    .map(({ label, port, options }) =>
      [
        `127.0.0.1:${String(port)} inet n - n - - smtpd`,
        ...Object.entries({ ...options, syslog_name: label }).map(([name, value]) => `  -o { ${name} = ${value} }`),
      ].join('\n'),
    )
    .join('\n') +
  '\n';

async function listening(port: number, master: ChildProcess): Promise<void> {
  await waitUntil(async () => master.exitCode !== null || (await portAnswers(port)), { timeoutMs: START_MS });
  if (master.exitCode !== null || !(await portAnswers(port)))
    throw new Error(`nothing listens on port ${String(port)}`);
}
