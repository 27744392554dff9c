// Once per test process, before anything else of Temporal: what Workers say when all is well would bury the failures.
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} } },
});
