// Builds what every world runs, before the tests: worlds that start at the same time would each
// build all of it.
import { loadConsole } from "../../practice/console.ts";
import { loadDocs } from "../../practice/docs.ts";
import { getSandboxProgram } from "../../practice/sandbox-program.ts";
import { loadWorker } from "../../practice/worker-runtime.ts";

export default async function setup(): Promise<void> {
  await Promise.all([getSandboxProgram(), loadWorker(), loadConsole(), loadDocs()]);
}
