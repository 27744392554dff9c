import type { Command } from 'commander';
import { exitWith, processContext } from '../command-context.ts';
import { jsonOption } from '../common-options.ts';
import type { DoctorOptions } from './doctor-context.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check what the programs need: settings, Temporal, databases, keys, provider, DNS, mail and clock')
    .option('--mx-of <domain>', 'greet the mail servers of this domain, to test outbound SMTP; sends no email')
    .option('--smtp-host <host:port>', 'greet this mail server instead')
    .option('--sending-address <ip>', 'the IP address that mail leaves from (default: that of EMAIL_SERVICE_HOSTNAME)')
    .addOption(jsonOption())
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor.ts');
      await exitWith(doctor(options, processContext));
    });
}
