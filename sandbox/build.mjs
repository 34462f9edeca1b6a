// Builds the sandbox program: everything it needs, the coding agent included, in one file that runs on Node alone.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("./main.ts", import.meta.url));
const defaultOutfile = fileURLToPath(new URL("./dist/sandbox.mjs", import.meta.url));

/** Writes the sandbox program to `outfile`, made anew. */
export async function buildSandboxProgram(outfile = defaultOutfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    // Bundled CommonJS packages look for these three, which ES modules lack.
    banner: {
      js: [
        'import { createRequire as __createRequire } from "node:module";',
        'import { fileURLToPath as __fileURLToPath } from "node:url";',
        "const require = __createRequire(import.meta.url);",
        "const __filename = __fileURLToPath(import.meta.url);",
        'const __dirname = __fileURLToPath(new URL(".", import.meta.url));',
      ].join("\n"),
    },
  });
  return outfile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSandboxProgram(process.argv[2]);
}
