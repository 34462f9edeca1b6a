// Builds the sandbox program: everything it needs, the coding agent included, in one file that runs on Node alone; and its archiver, in
// another one beside it.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const defaultOutfile = join(root, "sandbox", "dist", "sandbox.mjs");

/** Of the agent's library, what serves its terminal, its extensions and providers that no turn runs on: a fifth of the program's own memory. */
const unused = ["@google/genai", "grok-mermaid", "highlight.js", "jiti"];

/** Puts nothing in the place of those packages. It can be called, as they are when the library loads and registers itself with them. */
const withoutUnused = {
  name: "without-unused",
  setup({ onResolve, onLoad }) {
    const names = unused.map((name) => name.replaceAll(".", "\\."));
    onResolve({ filter: new RegExp(`^(${names.join("|")})(/|$)`) }, ({ path }) => ({ path, namespace: "unused" }));
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: nothing }));
  },
};
const nothing = `
const nothing = new Proxy(() => nothing, { get: (_, name) => (["__esModule", "then"].includes(name) ? undefined : nothing) });
module.exports = nothing;
`;

/** Writes the sandbox program to `outfile`, and `archiver.mjs` beside it, made anew. */
export async function buildSandboxProgram(outfile = defaultOutfile) {
  const { program, archiver } = await bundleSandboxProgram();
  await mkdir(dirname(outfile), { recursive: true });
  await Promise.all([writeFile(outfile, program), writeFile(join(dirname(outfile), "archiver.mjs"), archiver)]);
  return outfile;
}

/** Bundles both files; answers their text, and the paths of the files that went into them. */
export async function bundleSandboxProgram() {
  const [program, archiver] = await Promise.all([bundle("sandbox/main.ts"), bundle("sandbox/archive/archiver.ts")]);
  const inputs = [program, archiver].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return {
    program: program.outputFiles[0].text,
    archiver: archiver.outputFiles[0].text,
    // What has a scheme before its path is no file.
    inputs: inputs.filter((path) => !/^[^/]+:/.test(path)),
  };
}

function bundle(entryPoint) {
  return build({
    entryPoints: [entryPoint],
    absWorkingDir: root,
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    loader: { ".md": "text" },
    plugins: [withoutUnused],
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
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSandboxProgram(process.argv[2]);
}
