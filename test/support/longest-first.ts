// The order of the test files. Slow files run first, so that no slow file is the only one running
// at the end.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A file that takes minutes. */
const longestFile = /\/system\/fuzz\.test\.ts$/;
/** The projects, those with the slowest files first. */
const projects = ["system", "api", "sandbox", "drivers", "objects", "tools", "rules"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) =>
      longestFile.test(moduleId) ? -1 : projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
  }
}
