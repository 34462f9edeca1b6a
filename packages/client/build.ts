// Builds the library: writes its types from the OpenAPI document, bundles it for any runtime, and
// writes the declarations. `--types` stops after the types, which the sources import. `--sizes`
// fails if a file is larger than it may be.
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { readApiDocument } from "../../scripts/api-document.ts";
import { formatTypes } from "./build/emit-types.ts";

const run = promisify(execFile);
const folder = import.meta.dirname;
const dist = join(folder, "dist");
const generated = join(folder, "src", "generated");

/** What the files may have, gzipped, in KB. */
const budgets = { "index.js": 9, "state.js": 1.5, "*.d.ts": 48 };

/** Writes the types that the sources import, unless they are the same. */
async function writeTypes(): Promise<void> {
  const file = join(generated, "api.ts");
  const text = formatTypes(await readApiDocument());
  if ((await readFile(file, "utf8").catch(() => null)) === text) return;
  await mkdir(generated, { recursive: true });
  await writeFile(file, text);
}

async function writePackage(): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await build({
    entryPoints: [join(folder, "src/index.ts"), join(folder, "src/state.ts")],
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    logLevel: "error",
  });
  const compiler = join(folder, "../../node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-p", join(folder, "tsconfig.build.json")]);
  // The types of the API are declarations already, and half as long without the compiler's indents.
  await copyFile(join(generated, "api.ts"), join(dist, "generated/api.d.ts"));
  // The declarations name the sources, which the package does not have.
  for (const name of await listDeclarations()) {
    const file = join(dist, name);
    await writeFile(file, (await readFile(file, "utf8")).replace(/(from "|import\(")(\.[^"]+)\.ts"/g, '$1$2.js"'));
  }
}

const listDeclarations = async () =>
  (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));

/** The sizes against their budgets; true if all fit. */
async function checkSizes(): Promise<boolean> {
  const measureSize = async (name: string) => gzipSync(await readFile(join(dist, name))).length / 1024;
  const declarations = await Promise.all((await listDeclarations()).map((name) => readFile(join(dist, name))));
  const sizes = {
    "index.js": await measureSize("index.js"),
    "state.js": await measureSize("state.js"),
    // As they are packed: together.
    "*.d.ts": gzipSync(Buffer.concat(declarations)).length / 1024,
  };
  const names = Object.keys(budgets) as (keyof typeof budgets)[];
  for (const name of names) {
    const isFit = sizes[name] <= budgets[name];
    console.log(
      `${isFit ? "ok" : "FAILED"}: ${name} of @switchyard/client is ${sizes[name].toFixed(1)} KB gzipped, of ${budgets[name]} at most`,
    );
  }
  return names.every((name) => sizes[name] <= budgets[name]);
}

await writeTypes();
if (!process.argv.includes("--types")) {
  await writePackage();
  const isFit = await checkSizes();
  if (process.argv.includes("--sizes") && !isFit) process.exitCode = 1;
}
