import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of whole deployments and of Workflows take a minute or more: begun last, one of them would run alone at the end. */
const LONGEST = ['test/crash/', 'test/topology/', 'test/system/', 'test/workflows/', 'test/email-service/background/'];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((folder) => moduleId.includes(folder));
  return found === -1 ? LONGEST.length : found;
};

/** A process that is kept takes the next file only if that is of its project. */
const byProject = (left: TestSpecification, right: TestSpecification): number =>
  left.project.name.localeCompare(right.project.name);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right) || byProject(left, right));
  }
}
