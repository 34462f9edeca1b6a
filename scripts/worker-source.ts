// The source of the Worker as it runs. The words that describe the API are beside what they
// describe, but only the OpenAPI document needs them. So the document is made before the Worker is
// built, and the Worker has the finished document and no words.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { type Plugin, transform } from "esbuild";
import { readApiDocument } from "./api-document.ts";

const root = join(import.meta.dirname, "..");
/** The module that makes the document. The built Worker has another one in its place. */
const maker = "src/http/openapi/document.ts";
/** Brotli packs the document into three quarters of what it has in a gzipped Worker. */
const documentFile = "src/http/openapi/document.bin";
const finished = `import packed from "./document.bin";
import { brotliDecompressSync } from "node:zlib";
export function createOpenApiDocument(_, serverUrl) {
  const text = new TextDecoder().decode(brotliDecompressSync(new Uint8Array(packed)));
  return { ...JSON.parse(text), servers: [{ url: serverUrl }] };
}
`;

/** The folder of the copy that wrangler builds, below the root. */
const copy = ".worker-source";
/** The entry of the copy. */
export const copiedEntry = `${copy}/src/worker.ts`;

/** Writes the copy that wrangler builds into a checkout, for as long as it is used. */
export async function withWorkerSource<Result>(checkout: string, use: () => Promise<Result>): Promise<Result> {
  const folder = join(checkout, copy);
  try {
    await rm(folder, { recursive: true, force: true });
    await writeCopy(folder);
    return await use();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let document: Promise<Buffer> | null = null;
const packDocument = () =>
  (document ??= readApiDocument().then((made) => brotliCompressSync(Buffer.from(JSON.stringify(made)))));

async function writeCopy(folder: string): Promise<void> {
  await cp(join(root, "migrations"), join(folder, "migrations"), { recursive: true });
  await cp(join(root, "package.json"), join(folder, "package.json"));
  const files = await Promise.all(["src", "durable-objects"].map(listFiles));
  await Promise.all(
    files.flat().map(async (file) => {
      const target = join(folder, file);
      await mkdir(dirname(target), { recursive: true });
      const text = () => readFile(join(root, file), "utf8");
      if (/\.tsx?$/.test(file)) await writeFile(target, toWorkerSource(file, await text()));
      // The Worker has these as texts, so its own build does not minify them.
      else if (/\.(browser\.js|css)$/.test(file)) await writeFile(target, await minify(file, await text()));
      else await cp(join(root, file), target);
    }),
  );
  await writeFile(join(folder, documentFile), await packDocument());
}

async function minify(file: string, text: string): Promise<string> {
  return (await transform(text, { minify: true, loader: file.endsWith(".css") ? "css" : "js" })).code;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** Does the same for a build by esbuild, without a copy. */
export const workerSource: Plugin = {
  name: "worker-source",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: toWorkerSource(relative(root, path), await readFile(path, "utf8")),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
    onResolve({ filter: /^\.\/document\.bin$/ }, ({ path }) => ({ path, namespace: "document" }));
    onLoad({ filter: /.*/, namespace: "document" }, async () => ({
      contents: await packDocument(),
      loader: "binary",
    }));
  },
};

/** The files that make the document, which no build with the finished document reads. */
export async function listDocumentSources(): Promise<string[]> {
  return ["scripts/worker-source.ts", "scripts/api-document.ts", ...(await listFiles("src/http"))];
}

/** The source of a file, by its path from the root. Lines keep their numbers. */
export function toWorkerSource(file: string, text: string): string {
  if (file === maker) return finished;
  // The tools of MCP show their words at run time.
  if (!file.startsWith("src/") || file.startsWith("src/mcp/")) return text;
  // The texts of queries are SQL, which needs no indentation.
  const source = /\/queries[./]/.test(file) ? text.replace(/\n +/g, "\n") : text;
  return withoutSummaries(withoutCalls(withoutCalls(source, ".describe("), ".meta({"));
}

/** Removes the calls of a method. `call` ends where the arguments begin. */
function withoutCalls(text: string, call: string): string {
  let kept = "";
  let at = 0;
  for (let start = text.indexOf(call); start >= 0; start = text.indexOf(call, at)) {
    const end = findClosing(text, text.indexOf("(", start));
    kept += text.slice(at, start) + toLineEnds(text.slice(start, end));
    at = end;
  }
  return kept + text.slice(at);
}

/** Empties the summaries of endpoints. */
function withoutSummaries(text: string): string {
  return text.includes("ndpoint({")
    ? text.replace(/\bsummary:(\s*)"(?:[^"\\]|\\.)*",/g, (_, space: string) => `summary:${space}"",`)
    : text;
}

const toLineEnds = (text: string) => text.replace(/[^\n]/g, "");

/** The position after the bracket that closes the one at a position. */
function findClosing(text: string, opening: number): number {
  let depth = 0;
  for (let at = opening; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ("\"'`".includes(character)) at = findClosingQuote(text, at) - 1;
    else if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character) && --depth === 0) return at + 1;
  }
  throw new Error(`an opening bracket at ${opening} is not closed: ${text.slice(opening, opening + 80)}`);
}

/** The position after the quote that closes the one at a position. A template may contain code. */
function findClosingQuote(text: string, opening: number): number {
  const quote = text.charAt(opening);
  for (let at = opening + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote) return at + 1;
    else if (quote === "`" && text.startsWith("${", at)) at = findClosing(text, at + 1) - 1;
  }
  throw new Error(`a quote at ${opening} is not closed: ${text.slice(opening, opening + 80)}`);
}
