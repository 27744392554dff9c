import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** Runs the work as an Activity, of which only errors are logged. */
export const inActivity = <Result>(work: () => Promise<Result>, info: Partial<Info> = {}): Promise<Result> =>
  new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') }).run(work);
