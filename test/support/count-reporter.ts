// Prints the number of passed and failed tests as the last line. A file that could not run counts
// as a failure.
import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      passed += tests.filter((test) => test.result().state === "passed").length;
      failed += tests.filter((test) => test.result().state === "failed").length;
      if (tests.length === 0 || module.errors().length > 0) failed += 1;
    }
    process.once("exit", () => console.log(`${passed} passed, ${failed} failed`));
  }
}
