// The order of the test files: those that take long come first, so that no worker is left alone with a long one at the end.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A file that takes minutes. */
const longestFile = /\/system\/fuzz\.test\.ts$/;
/** By how long their files take. */
const projects = ["system", "api", "sandbox", "drivers", "objects", "dev", "rules"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) =>
      longestFile.test(moduleId) ? -1 : projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
  }
}
