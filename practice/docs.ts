// The docs that a service on one machine serves, after its console.
import type { DocsFile } from "../site/bundle.ts";
import { createPack } from "../site/pack.ts";
import { docsPrefix } from "../src/docs/docs-key.ts";
import { buildOnce } from "./build-cache.ts";
import { saveConsole } from "./console.ts";

/** Returns the files of the docs, built again only after changes. */
export async function loadDocs(): Promise<DocsFile[]> {
  return await buildOnce("docs", async () => {
    const { createSite } = await import("../site/bundle.ts");
    const { files: built, inputs } = await createSite();
    return { built, inputs };
  });
}

/**
 * Puts the console and then the docs into the service's bucket, from which the service sends them.
 * The API works without them.
 */
export async function savePages(bucket: Promise<R2Bucket>): Promise<void> {
  const store = await bucket;
  await saveConsole(store).catch((error: unknown) => console.error("The console was not built:", error));
  await saveDocs(store).catch((error: unknown) => console.error("The docs were not built:", error));
}

/** Saves the docs, and deletes those of earlier versions. */
export async function saveDocs(store: R2Bucket, files?: DocsFile[]): Promise<void> {
  const objects = createPack(files ?? (await loadDocs()));
  for (const { key, bytes } of objects) await store.put(key, bytes);
  const saved = new Set(objects.map(({ key }) => key));
  const former = await store.list({ prefix: docsPrefix });
  await store.delete(former.objects.map(({ key }) => key).filter((key) => !saved.has(key)));
}
