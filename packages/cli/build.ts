// Builds the command line: one file that Node runs, with the client library in it. `--size` fails
// if it is larger than it may be.
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = import.meta.dirname;
const file = join(folder, "dist/sy.js");
const budgetKb = 80;

await rm(join(folder, "dist"), { recursive: true, force: true });
await build({
  entryPoints: [join(folder, "src/main.ts")],
  outfile: file,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node20",
  conditions: ["switchyard-source"],
  // Commander is CommonJS, and calls `require` for what Node has.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire } from "node:module";const require = createRequire(import.meta.url);',
  },
  logLevel: "error",
});
await chmod(file, 0o755);
const sizeKb = gzipSync(await readFile(file)).length / 1024;
const fits = sizeKb <= budgetKb;
console.log(
  `${fits ? "ok" : "FAILED"}: sy.js of @switchyard/cli is ${sizeKb.toFixed(1)} KB gzipped, of ${budgetKb} at most`,
);
if (process.argv.includes("--size") && !fits) process.exitCode = 1;
