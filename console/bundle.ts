// Bundles the console: the page, and its hashed scripts and styles.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import type { ConsoleFile } from "./file.ts";
import { renderIcon } from "./icon.ts";

const root = join(import.meta.dirname, "..");

/** The files with addresses that never change. */
const publicFolder = join(import.meta.dirname, "public");

/** The page between the console and a previewed app, which preview hosts serve. */
const paneFolder = join(import.meta.dirname, "src/preview/pane");

/** The pictures for home screens and notifications, which show no SVG: their sizes in pixels. */
const icons: Record<string, number> = { "apple-touch-icon.png": 180, "icon-192.png": 192, "icon-512.png": 512 };

/**
 * Returns the files, the pages last, and the sources that they are made of, relative to the
 * repository. If they are saved in this order, the page never names a missing file.
 */
export async function bundleConsole(): Promise<{ files: ConsoleFile[]; inputs: string[] }> {
  const configFile = join(import.meta.dirname, "vite.config.ts");
  const [built] = await buildForPeople({ configFile, logLevel: "error", build: { write: false } });
  const files: ConsoleFile[] = (built?.output ?? []).map((file) => ({
    path: file.fileName,
    text: file.type === "chunk" ? file.code : asText(file.source),
  }));
  for (const path of await readdir(publicFolder))
    files.push({ path, text: await readFile(join(publicFolder, path), "utf8") });
  const svg = await readFile(join(publicFolder, "icon.svg"), "utf8");
  for (const [path, size] of Object.entries(icons))
    files.push({ path, text: renderIcon(svg, size).toString("base64"), isBase64: true });
  files.push({ path: "pane.html", text: await bundlePane() });
  const page = ({ path }: ConsoleFile) => Number(path.endsWith(".html"));
  return { files: files.sort((one, other) => page(one) - page(other)), inputs: await listInputs() };
}

/**
 * Builds as for a deployment. With another NODE_ENV, such as in a test, Vite would take the
 * development versions of the packages, which are half as large again.
 */
async function buildForPeople(config: InlineConfig): Promise<Rolldown.RolldownOutput[]> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return [await build(config)].flat().flatMap((one) => ("output" in one ? [one] : []));
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/** Puts the script into the page: a preview host has no other path for it. */
async function bundlePane(): Promise<string> {
  const lib = { entry: join(paneFolder, "pane.ts"), formats: ["iife" as const], name: "pane" };
  const [made] = await buildForPeople({
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: true, lib },
  });
  const script = made?.output[0].code ?? "";
  const page = await readFile(join(paneFolder, "pane.html"), "utf8");
  return page.replace("/* pane.ts */", () => script.trim());
}

const asText = (source: string | Uint8Array) =>
  typeof source === "string" ? source : new TextDecoder().decode(source);

/** The classes in all sources make the styles, so every source is an input. */
async function listInputs(): Promise<string[]> {
  const folders = [join(import.meta.dirname, "src"), publicFolder, join(root, "packages/client/src")];
  const found = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  const sources = found.flat().filter((entry) => entry.isFile());
  return [
    ...sources.map(({ parentPath, name }) => relative(root, join(parentPath, name))),
    "console/index.html",
    "console/vite.config.ts",
    "src/pages/base.css",
    "console/icon.ts",
    relative(root, import.meta.filename),
  ];
}
