// The order of the test files: those of the projects whose files take long come first, so that no worker is left alone with a long one at
// the end.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const projects = ["system", "api", "sandbox", "drivers", "objects", "dev", "rules"];

export class LongestProjectFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
  }
}
