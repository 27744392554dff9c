import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those of whole deployments and of Workflows take a minute or more, others wait: begun last, one of them would run alone at the end. */
const LONGEST = [
  'test/crash/',
  'test/topology/',
  'test/system/',
  'test/cli/deployment/',
  'test/setup-page/',
  'test/workflows/',
  'test/conformance/',
  'test/email-service/background/',
  'test/cli/doctor/',
  'test/client/upkeep/',
  'test/lib/http/',
  'test/lib/temporal/',
];

/**
 * vitest ends a process when the next file is of another project, and a new one loads all modules again: so one project after
 * the other. Short tests fill the end.
 */
const PROJECTS = ['long-alone', 'long', 'sqlite-alone', 'sqlite', 'postgres'];

const placeIn = (list: readonly string[], fits: (item: string) => boolean): number => {
  const found = list.findIndex(fits);
  return found === -1 ? list.length : found;
};
const rank = ({ moduleId }: TestSpecification): number => placeIn(LONGEST, (folder) => moduleId.includes(folder));
const projectRank = ({ project }: TestSpecification): number => placeIn(PROJECTS, (name) => name === project.name);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort(
      (left, right) => projectRank(left) - projectRank(right) || rank(left) - rank(right),
    );
  }
}
