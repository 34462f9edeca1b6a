// The OpenAPI document, the command line, the console and the docs in the service's bucket, from
// which it sends them.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { bundleConsole } from "../../console/bundle.ts";
import { toContent } from "../../console/file.ts";
import type { bundleProgram } from "../../packages/cli/bundle.ts";
import { createDocumentObject } from "../../scripts/worker-source.ts";
import type { createSite } from "../../site/bundle.ts";
import { createPack } from "../../site/pack.ts";
import { programKey } from "../../src/cli/program-key.ts";
import { consoleKey } from "../../src/console/console-key.ts";
import type { Tools } from "./tools.ts";

export interface Clients {
  /** Builds the command line. */
  bundleProgram: typeof bundleProgram;
  /** Builds the console. */
  bundleConsole: typeof bundleConsole;
  /** Builds the docs. */
  createSite: typeof createSite;
}

export interface Place {
  bucket: string;
  jurisdiction: string;
  tools: Pick<Tools, "quietWrangler">;
  /** A temporary folder. */
  folder: string;
}

/** Each file takes a process of wrangler, which computes little and waits long. */
const filesAtATime = 3;

/** Saves the document that the Worker of this checkout reads. Those of other versions remain. */
export async function saveDocument(place: Place): Promise<void> {
  const { key, text } = await createDocumentObject();
  await saveObject(key, text, place);
}

/** Builds the clients and saves them. Files of earlier versions remain for pages that are open. */
export async function saveClients({ bundleProgram, bundleConsole, createSite }: Clients, place: Place): Promise<void> {
  const { files } = await bundleConsole();
  // The page names the other files, so it is saved when they are there.
  const page = files.filter(({ path }) => path.endsWith(".html"));
  const others = files.filter((file) => !page.includes(file)).values();
  await saveObject(programKey, (await bundleProgram()).program, place);
  const lane = async () => {
    for (const file of others) await saveObject(consoleKey(file.path), toContent(file), place);
  };
  await Promise.all(Array.from({ length: filesAtATime }, lane));
  for (const file of page) await saveObject(consoleKey(file.path), toContent(file), place);
  for (const { key, bytes } of createPack((await createSite()).files)) await saveObject(key, bytes, place);
}

/** Saves an object in the bucket. */
export async function saveObject(
  key: string,
  content: string | Uint8Array,
  { bucket, jurisdiction, tools, folder }: Place,
): Promise<void> {
  const file = join(folder, key);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await tools.quietWrangler(
    ...["r2", "object", "put", `${bucket}/${key}`, "--remote", "--force", "--file", file],
    ...(jurisdiction === "" ? [] : ["--jurisdiction", jurisdiction]),
  );
}
