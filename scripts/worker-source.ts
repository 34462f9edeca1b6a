// The source of the Worker as it runs. The words that describe the API are beside what they
// describe, but only the OpenAPI document needs them. So the document is made before the Worker is
// built and saved in the bucket, and the Worker has the document's key and no words.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type Plugin, transform } from "esbuild";
import { documentPrefix } from "../src/http/openapi/saved-document.ts";
import { readApiDocument } from "./api-document.ts";

const root = join(import.meta.dirname, "..");
/** The module that makes the document. The built Worker has another one in its place. */
export const documentMaker = "src/http/openapi/document.ts";
const formatLoader = (key: string) => `import { loadSavedDocument } from "./saved-document.ts";
export const loadOpenApiDocument = (env, _, serverUrl) => loadSavedDocument(env, "${key}", serverUrl);
`;

/** The folder of the copy that wrangler builds, below the root. */
const copy = ".worker-source";
const entry = "src/worker.ts";
/** The entry of the copy. */
export const copiedEntry = `${copy}/${entry}`;

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

/** The OpenAPI document as an object of the bucket. */
export interface DocumentObject {
  key: string;
  text: string;
}

let document: Promise<DocumentObject> | null = null;

/** Returns the document that a Worker of this source reads from the bucket. */
export function createDocumentObject(): Promise<DocumentObject> {
  document ??= readApiDocument().then((made) => {
    const text = JSON.stringify(made);
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    return { key: `${documentPrefix}${hash}.json`, text };
  });
  return document;
}

interface CopiedFile {
  path: string;
  content: string | Buffer;
}

let copied: Promise<CopiedFile[]> | null = null;

/** The files of the copy. Every deployment of this process gets the same source. */
function createCopy(): Promise<CopiedFile[]> {
  copied ??= Promise.all(["src", "durable-objects", "migrations"].map(listFiles)).then((files) =>
    Promise.all(["package.json", ...files.flat()].map(async (path) => ({ path, content: await readCopied(path) }))),
  );
  return copied;
}

async function readCopied(file: string): Promise<string | Buffer> {
  if (/\.tsx?$/.test(file)) return await readWorkerSource(file);
  // The Worker has these as texts, so its own build does not minify them.
  if (/\.(browser\.js|css)$/.test(file)) return await minify(file);
  if (file.endsWith(".sql")) return minifySql(await readFile(join(root, file), "utf8"));
  return await readFile(join(root, file));
}

async function writeCopy(folder: string): Promise<void> {
  const files = await createCopy();
  const folders = new Set(files.map(({ path }) => dirname(join(folder, path))));
  await Promise.all([...folders].map((one) => mkdir(one, { recursive: true })));
  await Promise.all(files.map(({ path, content }) => writeFile(join(folder, path), content)));
}

async function readWorkerSource(file: string): Promise<string> {
  if (file === documentMaker) return formatLoader((await createDocumentObject()).key);
  const source = toWorkerSource(file, await readFile(join(root, file), "utf8"));
  return file === entry ? (await importSql()) + source : source;
}

/**
 * Imports of all tables and queries, in one line. The upload is compressed with what its last 32 KB
 * have, so it is smaller by 1 % if SQL is next to SQL.
 */
async function importSql(): Promise<string> {
  const files = (await listFiles("src")).toSorted();
  const alike = [/\/tables\.ts$/, /\/queries(\/[\w-]+)?\.ts$/].flatMap((kind) =>
    files.filter((file) => kind.test(file)),
  );
  return alike.map((file) => `import "./${relative("src", file)}";`).join("");
}

async function minify(file: string): Promise<string> {
  const text = await readFile(join(root, file), "utf8");
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
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: await readWorkerSource(relative(root, path)),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};

/** The files that make the document, which no build without its maker reads. */
export async function listDocumentSources(): Promise<string[]> {
  return ["scripts/worker-source.ts", "scripts/api-document.ts", ...(await listFiles("src/http"))];
}

/** The source of a file, by its path from the root. Lines keep their numbers. */
export function toWorkerSource(file: string, text: string): string {
  if (isTables.test(file)) return withPureConstants(withoutIndexes(text));
  // The texts of queries are SQL, which needs no indentation.
  const flat = text.replace(sqlIndent, " \\\n");
  const source = /\/queries[./]/.test(file) ? flat.replace(/\n +/g, "\n") : flat;
  // The tools of MCP show their words at run time.
  if (!file.startsWith("src/") || file.startsWith("src/mcp/")) return source;
  const wordless = withoutParts(withoutParts(source, ".describe("), ".meta(");
  return isDeclaring.test(file) ? withPureConstants(withoutPromises(wordless)) : wordless;
}

/** What is before a further line of SQL. A line after a comment of SQL has to begin as a line. */
const sqlIndent =
  /(?<!--[^\n]*)\n +(?=\(?(?:SELECT|FROM|LEFT|JOIN|WHERE|AND|OR|GROUP BY|ORDER BY|LIMIT|UNION|INSERT|VALUES|UPDATE|SET|ON|DO|RETURNING|CASE|WHEN|ELSE|END|DELETE|EXISTS|NOT|WITH)\b)/g;

/** Joins the lines of a statement, without the quotes of names that cannot be words of SQL. */
const minifySql = (sql: string) => sql.replace(/\n\t|\n(?=\))/g, "").replace(/`(\w+_\w+)`/g, "$1");

const isTables = /\/tables(\.ts$|\/)/;
/** The files with the schemas and the examples of the API. */
const isDeclaring = /\/(event-)?wire\.ts$|\/(wire|routes)\/|routes?\.ts$|^src\/endpoints\.ts$/;

/** Removes the indexes of tables, which only migrations are made of. */
function withoutIndexes(text: string): string {
  return text.replace(/\n {2}\(\w*\) => [\s\S]*?(?=\n\);$)/gm, toLineEnds);
}

/**
 * Lets the build leave out the constants of a file that nothing uses. Without the mark, it keeps
 * each whose value calls a function or reads a field.
 */
function withPureConstants(text: string): string {
  return text.replace(constant, (_, start: string, value: string) => `${start}/* @__PURE__ */ (() => (${value}))();`);
}

/** A constant that is no function. Its value ends before the next line that is not indented. */
const constant =
  /(?<=^|\n)((?:export )?const \w+(?:: [^=\n]+)? = )(?!async\b|[(<]|\w+ =>)([\s\S]+?);(?=\s*?\n[^\s)}\]]|\s*$)/g;

/** Removes what only the document has of endpoints, such as their summaries and refusals. */
function withoutPromises(text: string): string {
  if (!text.includes("ndpoint({")) return text;
  const silent = text
    .replace(/\b(?:summary|tag|repeatResponse|emptyResponse):\s*(?:"(?:[^"\\]|\\.)*"|`[^`]*`),/g, toLineEnds)
    .replace(/^ +refusals: (?:\w+|\[[^\]]*\]),$/gm, toLineEnds);
  return withoutParts(silent, " response: {", " response: {}")
    .replace(/ response: \{\}(\n*),/g, "$1")
    .replace(/^ {2}(?:tag|response(?:: \w+)?),$/gm, "");
}

/** Removes what begins with a text, up to the bracket that closes its last character. */
function withoutParts(text: string, begin: string, left = ""): string {
  let kept = "";
  let at = 0;
  for (let start = text.indexOf(begin); start >= 0; start = text.indexOf(begin, at)) {
    const end = findClosing(text, start + begin.length - 1);
    kept += text.slice(at, start) + left + toLineEnds(text.slice(start, end));
    at = end;
  }
  return kept + text.slice(at);
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
