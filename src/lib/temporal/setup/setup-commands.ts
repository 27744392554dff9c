import { isOfAttribute, type SearchAttributeGap, type SetupGap } from './setup-gap.ts';

export interface SetupCommandOptions {
  /** Address of the gRPC frontend, `host:port`. */
  readonly address: string;
  readonly namespace: string;
  readonly retentionDays: number;
}

/** Both kinds of endpoint of Temporal Cloud: of a Namespace and of a region. */
export const isTemporalCloud = (address: string): boolean =>
  /\.(?:tmprl\.cloud|api\.temporal\.io)(?::\d+)?$/i.test(address);

/** The commands that create what is missing, for an operator with the permissions that sendoff lacks. */
export function setupCommands(gaps: readonly SetupGap[], options: SetupCommandOptions): string[] {
  const commands = isTemporalCloud(options.address) ? cloudCommands : serverCommands;
  const attributes = gaps.filter(isOfAttribute);
  return [
    ...(gaps.some(({ kind }) => kind === 'namespace') ? [commands.namespace(options)] : []),
    ...attributes.filter(({ found }) => found !== null).map(({ name }) => commands.clear(name, options)),
    ...(attributes.length === 0 ? [] : [commands.add(attributes, options)]),
  ];
}

interface Commands {
  readonly namespace: (options: SetupCommandOptions) => string;
  /** Frees the name of an attribute that has another type. */
  readonly clear: (attribute: string, options: SetupCommandOptions) => string;
  readonly add: (attributes: readonly SearchAttributeGap[], options: SetupCommandOptions) => string;
}

const cloudCommands: Commands = {
  // Temporal Cloud adds the account's suffix: `sendoff.a1b2c`.
  namespace: ({ namespace, retentionDays }) =>
    `tcld namespace create --namespace ${namespace.replace(/\.[^.]*$/, '')} --region <region> --auth-method api_key --retention-days ${String(retentionDays)}`,
  clear: (attribute, { namespace }) =>
    `tcld namespace search-attributes rename --namespace ${namespace} --existing-name ${attribute} --new-name ${attribute}Old`,
  add: (attributes, { namespace }) =>
    `tcld namespace search-attributes add --namespace ${namespace} ${attributes
      .map(({ name, type }) => `--search-attribute "${name}=${type}"`)
      .join(' ')}`,
};

const serverCommands: Commands = {
  namespace: ({ address, namespace, retentionDays }) =>
    `temporal operator namespace create --address ${address} --namespace ${namespace} --retention ${String(retentionDays)}d`,
  clear: (attribute, { address, namespace }) =>
    `temporal operator search-attribute remove --address ${address} --namespace ${namespace} --name ${attribute} --yes`,
  add: (attributes, { address, namespace }) =>
    `temporal operator search-attribute create --address ${address} --namespace ${namespace} ${attributes
      .map(({ name, type }) => `--name ${name} --type ${type}`)
      .join(' ')}`,
};
