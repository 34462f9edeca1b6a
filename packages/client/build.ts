// Builds the library: writes its types from the OpenAPI document, bundles it for any runtime, and
// writes the declarations. `--types` stops after the types, which the sources import. `--sizes`
// fails if a file is larger than it may be.
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { readApiDocument } from "../../scripts/api-document.ts";
import { formatTypes } from "./build/emit-types.ts";
import { budgets, builtFiles, dist, listDeclarations, measureSizes } from "./build/sizes.ts";

const run = promisify(execFile);
const folder = import.meta.dirname;
const generated = join(folder, "src", "generated");

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
  await deleteInner();
}

/** Deletes the declarations that no declaration of an entry point imports. */
async function deleteInner(): Promise<void> {
  const reached = new Set(["index.d.ts", "state.d.ts"]);
  for (const name of reached)
    for (const [, imported] of (await readFile(join(dist, name), "utf8")).matchAll(/(?:from|import) "\.\/(.+)\.js"/g))
      reached.add(`${imported}.d.ts`);
  for (const name of await listDeclarations()) if (!reached.has(name)) await rm(join(dist, name));
}

/** The sizes against their budgets; true if all fit. */
async function checkSizes(): Promise<boolean> {
  const sizes = await measureSizes();
  for (const name of builtFiles) {
    const isFit = sizes[name] <= budgets[name];
    console.log(
      `${isFit ? "ok" : "FAILED"}: ${name} of @switchyard/client is ${sizes[name].toFixed(1)} KB gzipped, of ${budgets[name]} at most`,
    );
  }
  return builtFiles.every((name) => sizes[name] <= budgets[name]);
}

await writeTypes();
if (!process.argv.includes("--types")) {
  await writePackage();
  const isFit = await checkSizes();
  if (process.argv.includes("--sizes") && !isFit) process.exitCode = 1;
}
