// Builds the package of the command line. `--size` fails if its program is larger than it may be.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleProgram } from "./bundle.ts";

const dist = join(import.meta.dirname, "dist");
const budgetKb = 80;

const { program } = await bundleProgram();
await mkdir(dist, { recursive: true });
await writeFile(join(dist, "sy.js"), program, { mode: 0o755 });
const sizeKb = gzipSync(program).length / 1024;
const fits = sizeKb <= budgetKb;
console.log(
  `${fits ? "ok" : "FAILED"}: sy.js of @switchyard/cli is ${sizeKb.toFixed(1)} KB gzipped, of ${budgetKb} at most`,
);
if (process.argv.includes("--size") && !fits) process.exitCode = 1;
