// Builds the sandbox program with everything it needs, the coding agent included, into one file for
// Node. The archiver becomes a second file next to it.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const defaultOutfile = join(root, "sandbox-program", "dist", "sandbox.cjs");

/**
 * Modules of the agent's library that no turn uses: terminal, extensions, other providers, settings
 * files. Loading them doubles the start time.
 */
const unused = [
  { filter: /^(@earendil-works\/pi-(codemode|mcp|tui)|@google\/genai|highlight\.js|jiti|undici)(\/|$)/ },
  { filter: /^(lovely-mermaid|quickjs-wasi)(\/|$)/ },
  {
    filter: /\/(cli|extensions\/(codemode|llama|mcp|tool-search)|modes)\/.*\.js$|\/main\.js$/,
    importer: /pi-coding-agent/,
  },
  { filter: /^typebox(\/|$)/, importer: /pi-coding-agent.dist.core.((key|pi-ai|settings).*|model-config)\.js$/ },
];
const catalogs = /pi-ai.dist.providers.data.*\.json$/;
const usedCatalogs = /(anthropic|openai)\.json$/;

/** Replaces the `spawn` that the tools of the agent's library use. */
const toolSpawn = {
  importer: /pi-coding-agent.dist.core.tools.(grep|find)\.js$/,
  module: "sandbox-program/agent/pi/tool-spawn.ts",
};
const withToolSpawn = {
  name: "with-tool-spawn",
  setup({ onResolve }) {
    onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      toolSpawn.importer.test(importer) ? { path: join(root, toolSpawn.module) } : undefined,
    );
  },
};

/**
 * Replaces the unused modules with a stub. The library calls, constructs and extends their exports
 * while it loads, so the stub allows all three.
 */
const withoutUnused = {
  name: "without-unused",
  setup({ onResolve, onLoad }) {
    for (const { filter, importer = /./ } of unused) {
      onResolve({ filter }, (asked) =>
        importer.test(asked.importer) ? { path: asked.path, namespace: "unused" } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: nothing }));
    onLoad({ filter: catalogs }, ({ path }) =>
      usedCatalogs.test(path) ? undefined : { contents: "{}", loader: "json" },
    );
  },
};
// Named imports are resolved through the prototype of the module's exports.
const nothing = `
const get = (_, name) => (["__esModule", "then"].includes(name) ? undefined : nothing);
const nothing = new Proxy(function () { return nothing; }, { get });
module.exports = new Proxy(function () { return nothing; }, { get, getPrototypeOf: () => nothing });
`;

/** Builds the sandbox program into `outfile`, and `archiver.cjs` next to it. */
export async function buildSandboxProgram(outfile = defaultOutfile) {
  const { program, archiver } = await bundleSandboxProgram();
  await mkdir(dirname(outfile), { recursive: true });
  await Promise.all([writeFile(outfile, program), writeFile(join(dirname(outfile), "archiver.cjs"), archiver)]);
  return outfile;
}

/** Bundles both files. Returns their text and the paths of their inputs. */
export async function bundleSandboxProgram() {
  const [program, archiver] = await Promise.all([
    bundle("sandbox-program/main.ts"),
    bundle("sandbox-program/archive/archiver.ts"),
  ]);
  const inputs = [program, archiver].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return {
    program: program.outputFiles[0].text,
    archiver: archiver.outputFiles[0].text,
    // A path with a scheme is a virtual module, not a file.
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
    // An ES module would load more of Node: it asks each built-in module for everything it exports.
    format: "cjs",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    loader: { ".md": "text" },
    plugins: [withoutUnused, withToolSpawn],
    logLevel: "error",
    // Bundled ES modules use these two, which CommonJS lacks.
    banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { "import.meta.url": "__bundleUrl", "import.meta.dirname": "__dirname" },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSandboxProgram(process.argv[2]);
}
