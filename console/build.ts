// Builds the console into `console/dist`. `--sizes` fails if a part is larger than it may be: what
// every page loads first, what a session and its terminal add, and the styles.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleConsole } from "./bundle.ts";
import { type ConsoleFile, toContent } from "./file.ts";

const dist = join(import.meta.dirname, "dist");
const { files } = await bundleConsole();
await rm(dist, { recursive: true, force: true });
for (const file of files) {
  await mkdir(dirname(join(dist, file.path)), { recursive: true });
  await writeFile(join(dist, file.path), toContent(file));
}

const sizeKb = (parts: ConsoleFile[]) => parts.reduce((sum, { text }) => sum + gzipSync(text).length, 0) / 1024;

/** The scripts that a page loads with a file: itself, and what it imports before it runs. */
function listLoaded(path: string, seen = new Set<string>()): Set<string> {
  const file = files.find((one) => one.path === path);
  if (!file || seen.has(path)) return seen;
  seen.add(path);
  for (const [, name] of file.text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) listLoaded(`_sy/${name}`, seen);
  return seen;
}

const page = files.find(({ path }) => path === "index.html")?.text ?? "";
const entry = /src="\/(_sy\/[\w.-]+\.js)"/.exec(page)?.[1] ?? "";
const first = listLoaded(entry);
const ofSession = files.find(({ path }) => /^_sy\/session-[\w-]+\.js$/.test(path));
const added = ofSession ? [...listLoaded(ofSession.path)].filter((path) => !first.has(path)) : [];
const ofTerminal = files.find(({ path }) => /^_sy\/terminal-[\w-]+\.js$/.test(path));
const addedByTerminal = [...listLoaded(ofTerminal?.path ?? "")].filter(
  (path) => !first.has(path) && !added.includes(path),
);
const named = (paths: Iterable<string>) => files.filter(({ path }) => new Set(paths).has(path));
const ofPane = files.find(({ path }) => path === "pane.html");
const budgets: [what: string, sizeKb: number, atMostKb: number][] = [
  ["the first scripts of the console", sizeKb(named(first)), 215],
  ["what a session of the console adds", sizeKb(named(added)), 150],
  ["what a terminal of the console adds", sizeKb(named(addedByTerminal)), 90],
  ["the page between the console and a preview", sizeKb(ofPane ? [ofPane] : []), 3],
  ["the styles of the console", sizeKb(files.filter(({ path }) => path.endsWith(".css"))), 16],
];
for (const [what, size, atMost] of budgets) {
  const fits = size > 0 && size <= atMost;
  console.log(`${fits ? "ok" : "FAILED"}: ${what}: ${size.toFixed(1)} KB gzipped, of ${atMost} at most`);
  if (process.argv.includes("--sizes") && !fits) process.exitCode = 1;
}
