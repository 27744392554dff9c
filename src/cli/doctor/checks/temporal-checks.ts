import { namespaceExists, findSetupGaps } from '../../../lib/temporal/setup/find-setup-gaps.ts';
import { describeGaps, SETUP_COMMAND } from '../../../lib/temporal/setup/setup-gap.ts';
import { RETENTION_DAYS_DEFAULT } from '../../../lib/temporal/setup/retention.ts';
import { setupCommands } from '../../../lib/temporal/setup/setup-commands.ts';
import { grpcMessage } from '../../../lib/temporal/grpc-code.ts';
import { searchAttributeKeys } from '../../../workflows/search-attributes.ts';
import { CannotCheck, messageOf, ok, problem } from '../check.ts';
import { type Check, check, type DoctorContext } from '../doctor-context.ts';

export const temporalCheck = check('Temporal', async (context) => {
  try {
    const { connection, address } = await context.opened.temporal();
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return ok(`${address} answers, server version ${serverVersion === '' ? 'unknown' : serverVersion}`);
  } catch (error) {
    return problem(messageOf(error), 'Start Temporal, or correct TEMPORAL_ADDRESS, TEMPORAL_API_KEY and TEMPORAL_TLS…');
  }
});

export const namespaceCheck = (name: string, namespaceIn: (context: DoctorContext) => Promise<string>): Check =>
  check(name, async (context) => {
    const { connection } = await context.temporal();
    const namespace = await namespaceIn(context);
    try {
      if (await namespaceExists(connection, namespace)) return ok(`${namespace} exists`);
    } catch (error) {
      return problem(`${namespace} cannot be described: ${grpcMessage(error)}`, 'Correct TEMPORAL_API_KEY');
    }
    return problem(`${namespace} does not exist`, `Correct the setting, or create it with: ${SETUP_COMMAND}`);
  });

export const searchAttributesCheck = check('Search Attributes', async (context) => {
  const { connection, address } = await context.temporal();
  const namespace = await context.namespace();
  const gaps = await findSetupGaps(connection, namespace, searchAttributeKeys);
  if (gaps.some(({ kind }) => kind === 'namespace')) throw new CannotCheck('not checked: see Namespace');
  if (gaps.length === 0) return ok(`all ${searchAttributeKeys.length} are registered in ${namespace}`);
  const isOfOtherType = gaps.some((gap) => gap.kind === 'search_attribute' && gap.found !== null);
  const commands = setupCommands(gaps, { address, namespace, retentionDays: RETENTION_DAYS_DEFAULT });
  return problem(
    describeGaps(gaps).replaceAll('\n', '; '),
    isOfOtherType ? `Free the name and register it: ${commands.join(' && ')}` : `Register them: ${SETUP_COMMAND}`,
  );
});
