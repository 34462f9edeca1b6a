// `npm run check`: types, lint, format, unused code, the architecture test and the build of a
// deployment.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { checkUploadSize } from "./upload-size.ts";
import { copiedEntry, withWorkerSource } from "./worker-source.ts";

type Step = [what: string, file: string, args: string[]];

const deployBuild = "deploy build";
const steps: Step[] = [
  ...[
    "tsconfig.json",
    "sandbox-program/tsconfig.json",
    // Includes `bench`, `operate`, `practice`, `scripts` and `site`, which its tests import.
    "test/tsconfig.json",
    "test/workerd/tsconfig.json",
    "test/seams/drivers/tsconfig.json",
    "test/containers/driver/tsconfig.json",
    "packages/client/tsconfig.json",
    "packages/cli/tsconfig.json",
    "adapters/slack/tsconfig.json",
    // The library as its users import it.
    "test/client/tsconfig.json",
    "console/tsconfig.json",
    "test/console/tsconfig.json",
  ].map(
    (config): Step => [
      `types of ${config}`,
      "typescript/bin/tsc",
      // A later check reads again only what has changed.
      ["--noEmit", "-p", config, "--incremental", "--tsBuildInfoFile", `node_modules/.cache/types/${config}`],
    ],
  ),
  ["lint and format", "@biomejs/biome/bin/biome", ["check", "."]],
  ["nothing unused", "knip/bin/knip.js", ["--no-progress"]],
  ["import directions and sizes", "vitest/vitest.mjs", ["run", "--project", "rules", "test/architecture.test.ts"]],
  [
    deployBuild,
    "wrangler/bin/wrangler.js",
    // Building the container image needs Docker.
    ["deploy", copiedEntry, "--dry-run", "--containers-rollout=none", "--minify", "--env", "production"],
  ],
];

/** Enough to keep a second core busy while a step starts or writes. */
const stepsAtATime = 2;
const failed: string[] = [];
let upload = "";
// The types of the clients' packages come from the OpenAPI document; the later steps read them.
await runStep("build and sizes of packages/client", ["packages/client/build.ts", "--sizes"]);
await runStep("build and size of packages/cli", ["packages/cli/build.ts", "--size"]);
await runStep("build and sizes of the console", ["console/build.ts", "--sizes"]);
const waiting = steps.values();
const checkout = join(import.meta.dirname, "..");
await withWorkerSource(checkout, () => Promise.all(Array.from({ length: stepsAtATime }, runSteps)));

async function runSteps(): Promise<void> {
  for (const [what, file, args] of waiting) await runStep(what, [`node_modules/${file}`, ...args]);
}

async function runStep(what: string, args: string[]): Promise<void> {
  const { succeeded, output } = await runNode(args);
  process.stdout.write(output);
  console.log(`${succeeded ? "ok" : "FAILED"}: ${what}`);
  if (!succeeded) failed.push(what);
  if (what === deployBuild) upload = output.toString();
}

/** Runs Node and collects its output, so that the lines of two steps do not mix. */
function runNode(args: string[]): Promise<{ succeeded: boolean; output: Buffer }> {
  const child = spawn(process.execPath, args, { stdio: ["inherit", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ succeeded: code === 0, output: Buffer.concat(chunks) }));
  });
}

const size = checkUploadSize(upload);
console.log(size.text);
if (!size.isFit) failed.push("the size of the Worker");
// Steps print while others still run, so a failure may be far above.
console.log(failed.length === 0 ? "All checks passed." : `FAILED: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
