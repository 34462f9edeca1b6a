// The sizes of the built library, and what each may be.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

export const dist = join(import.meta.dirname, "..", "dist");

/** What the files may have, gzipped, in KB. */
export const budgets = { "index.js": 9, "state.js": 1.5, "*.d.ts": 35 };
type BuiltFile = keyof typeof budgets;
export const builtFiles = Object.keys(budgets) as BuiltFile[];

/** Lists the declarations, relative to the folder of the built library. */
export const listDeclarations = async () =>
  (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));

/** Measures the built files, gzipped as `npm pack` does it, in KB. */
export async function measureSizes(): Promise<Record<BuiltFile, number>> {
  const measureSize = async (...names: string[]) => {
    const texts = await Promise.all(names.map((name) => readFile(join(dist, name))));
    return gzipSync(Buffer.concat(texts), { level: 9 }).length / 1024;
  };
  return {
    "index.js": await measureSize("index.js"),
    "state.js": await measureSize("state.js"),
    // As they are packed: together, in the order of their names without folders.
    "*.d.ts": await measureSize(
      ...(await listDeclarations()).sort((one, other) => basename(one).localeCompare(basename(other))),
    ),
  };
}
