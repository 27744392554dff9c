// For .ci/run: on an empty cache, what vitest's globalSetup would compile before the first test is compiled beside the checks.
import { findCli } from '../support/find-temporal-servers.ts';
import { findProduction } from './find-production.ts';

await findCli();
await findProduction({ report: (line) => void process.stderr.write(`[production] ${line}\n`) });
