import { isDeepStrictEqual } from 'node:util';
import type { CheckView } from '../../client/agents-md/checks.ts';
import { textTable } from '../text-table.ts';
import { counted } from '../../lib/counted.ts';
import { REQUESTS_MAX } from '../../agents-md/next-step.ts';
import { demoProducers } from './demo-producers.ts';
import type { ReceivedRequest } from '../../dev/code-host/start-code-host.ts';

/** A check never sends these. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

export function checkDemoReport(checked: readonly CheckView[], asked: readonly ReceivedRequest[]) {
  const producers = demoProducers.map(({ input: { producerId, organization }, expected }) => {
    const { latest: result } = checked.find((one) => one.producerId === producerId) ?? { latest: null };
    const found = {
      outcome: result?.outcome ?? null,
      reasonCode: result?.reasonCode ?? null,
      foundIn: result?.foundIn ?? null,
    };
    const questions = asked.filter((one) => organization !== undefined && one.organization === organization);
    const requests = questions.length;
    const isExpected = isDeepStrictEqual(found, expected) && requests <= REQUESTS_MAX;
    const message = result?.message ?? null;
    return { producerId, ...found, requests, statuses: questions.map(({ status }) => status), message, isExpected };
  });
  const requestsWithCredentials = asked.filter(({ headers }) =>
    CREDENTIAL_HEADERS.some((name) => name in headers),
  ).length;
  return {
    isExpected:
      producers.every((producer) => producer.isExpected) &&
      requestsWithCredentials === 0 &&
      // Every request belongs to one of the producers.
      asked.length === producers.reduce((sum, { requests }) => sum + requests, 0),
    producers,
    requests: asked.length,
    requestsWithCredentials,
  };
}

export type CheckDemoReport = ReturnType<typeof checkDemoReport>;

export function showCheckDemo(report: CheckDemoReport): string {
  const rows = report.producers.map(
    ({ producerId, outcome, reasonCode, foundIn, requests, statuses, message, isExpected }) => [
      producerId,
      outcome ?? 'inconclusive',
      reasonCode ?? '-',
      foundIn ?? '-',
      requests === 0 ? '0' : `${requests} (${statuses.join(', ')})`,
      `${isExpected ? '' : 'NOT AS EXPECTED: '}${message ?? ''}`,
    ],
  );
  const lines = [
    textTable([['PRODUCER', 'OUTCOME', 'REASON', 'FOUND IN', 'REQUESTS', 'MESSAGE'], ...rows]),
    `${counted(report.requests, 'request')} reached the code host, ${report.requestsWithCredentials} with a credential.`,
    ...(report.isExpected ? [] : ['The results are not as expected.']),
  ];
  return lines.join('\n');
}
