// Reads the OpenAPI document as the service serves it, without a running service: it bundles the
// Worker's routes with a stub of the Worker's runtime, and asks them for `/api/openapi.json`.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** The parts of the document that its readers here use. */
export interface ApiDocument {
  paths: Record<string, Record<string, unknown>>;
  /** The credentials of operations that name none. */
  security: object[];
  components: { schemas: Record<string, unknown>; [kind: string]: Record<string, unknown> };
}

const root = join(import.meta.dirname, "..");

/** The routes only name what the runtime has; what serves the document calls none of it. */
const withoutRuntime: Plugin = {
  name: "without-runtime",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
      contents: "module.exports = { DurableObject: class {}, WorkerEntrypoint: class {} };",
    }));
  },
};

export async function readApiDocument(): Promise<ApiDocument> {
  return (await readDocumentAndInputs()).document;
}

/** Reads the document, and the files that it is made of, relative to the repository. */
export async function readDocumentAndInputs(): Promise<{ document: ApiDocument; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [join(root, "src/app.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
    loader: { ".sql": "text", ".css": "text", ".browser.js": "text" },
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    plugins: [withoutRuntime],
  });
  const folder = await mkdtemp(join(tmpdir(), "switchyard-document-"));
  try {
    const file = join(folder, "app.mjs");
    await writeFile(file, outputFiles[0]?.contents ?? "");
    const { app }: { app: { fetch(request: Request, env: object): Promise<Response> } } = await import(
      pathToFileURL(file).href
    );
    const url = "https://switchyard.example.com/api/openapi.json";
    const response = await app.fetch(new Request(url), { PUBLIC_URL: new URL(url).origin });
    if (!response.ok) throw new Error(`The service answered ${response.status}: ${await response.text()}`);
    const document = (await response.json()) as ApiDocument;
    const inputs = Object.keys(metafile.inputs).filter(
      (path) => !path.includes(":") && !path.startsWith("node_modules"),
    );
    return { document, inputs };
  } finally {
    await rm(folder, { recursive: true });
  }
}
