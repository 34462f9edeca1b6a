// Bundles the command line: one file that Node runs, with the client library in it.
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");
/** What the program may have, gzipped, in KB. */
export const programKb = 80;

/** Returns the program, and the files that it is made of, relative to the repository. */
export async function bundleProgram(): Promise<{ program: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, "src/main.ts")],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
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
  const [program] = outputFiles;
  if (!program) throw new Error("The command line has no program.");
  const inputs = [...Object.keys(metafile.inputs), relative(root, import.meta.filename)];
  return { program: program.text, inputs };
}

/** Measures the program, gzipped, in KB. */
export const measureProgram = (program: string): number => gzipSync(program).length / 1024;
