import { InvalidArgumentError, Option } from 'commander';

export const DATA_DEFAULT = './data/dev';

/** Of a command that calls the HTTP API. */
export interface LocalOptions {
  readonly json?: boolean;
  readonly data: string;
}

export const jsonOption = (): Option =>
  new Option('--json', 'print the result as one JSON object on the last line of stdout; progress goes to stderr');

export const dataOption = (note = ''): Option =>
  new Option('--data <dir>', `data folder of the local deployment${note}`);

export function wholeNumberArgument(value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Use a whole number.');
}
