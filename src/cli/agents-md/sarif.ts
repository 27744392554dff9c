import { fixOf, type ReasonCode, reasons } from '../../agents-md/reasons.ts';
import { counted } from '../../lib/counted.ts';
import type { Measured } from './measure-local.ts';

const levels = { partial: 'warning', fail: 'error', inconclusive: 'note' } as const;

/**
 * SARIF 2.1.0 with what GitHub's code scanning reads. It has no result for a file that passes: code scanning would open an
 * alert for it.
 */
export function sarifOf(measured: readonly Measured[], failures: readonly string[]): object {
  const found = measured.flatMap(({ outcome, ...rest }) =>
    outcome === 'pass' ? [] : [{ ...rest, level: levels[outcome] }],
  );
  const codes = [...new Set(found.map(({ reasonCode }) => reasonCode))];
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'sendoff agents-md', informationUri: 'https://agents.md', rules: codes.map(ruleOf) } },
        invocations: [
          {
            executionSuccessful: failures.length === 0,
            toolExecutionNotifications: failures.map((text) => ({ level: 'error', message: { text } })),
          },
        ],
        results: found.map((result) => ({
          ruleId: result.reasonCode,
          ruleIndex: codes.indexOf(result.reasonCode),
          level: result.level,
          message: { text: messageOf(result) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: {
                  uri: result.path.split('/').map(encodeURIComponent).join('/'),
                  uriBaseId: '%SRCROOT%',
                },
                region: { startLine: 1 },
              },
            },
          ],
        })),
      },
    ],
  };
}

const ruleOf = (id: ReasonCode): object => ({
  id,
  shortDescription: { text: reasons[id].remedy.summary },
  help: { text: fixOf(id) },
});

function messageOf({ path, measurement, detail, nearMisses, fix }: Omit<Measured, 'outcome'>): string {
  const has =
    measurement === null
      ? `does not exist${nearMisses.length === 0 ? '' : `; the folder has ${nearMisses.join(', ')}`}`
      : `has ${counted(measurement.visibleCodePoints, 'visible character')} (${measurement.threshold} needed)`;
  return `${path} ${has}${detail === null ? '' : `: ${detail}`}. ${fix}`;
}
