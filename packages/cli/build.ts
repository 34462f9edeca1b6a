// Builds the package of the command line. `--size` fails if its program is larger than it may be.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleProgram, measureProgram, programKb } from "./bundle.ts";

const dist = join(import.meta.dirname, "dist");

const { program } = await bundleProgram();
await mkdir(dist, { recursive: true });
await writeFile(join(dist, "sy.js"), program, { mode: 0o755 });
const sizeKb = measureProgram(program);
const fits = sizeKb <= programKb;
console.log(
  `${fits ? "ok" : "FAILED"}: sy.js of @switchyard/cli is ${sizeKb.toFixed(1)} KB gzipped, of ${programKb} at most`,
);
if (process.argv.includes("--size") && !fits) process.exitCode = 1;
