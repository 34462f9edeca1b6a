// The layout of a document on a page. It is rendered for the first visitor of a version, and stored for all others.
import { reasonOf } from "../../error-text.ts";
import { readLayout, storeLayout } from "../bodies.ts";
import { renderMarkdown } from "./markdown.ts";

/** Answers the layout of a version, by the key of its body. */
export async function layoutOf(store: R2Bucket, bodyKey: string, text: string): Promise<string> {
  const kept = await readLayout(store, bodyKey);
  if (kept !== null) return kept;
  const html = renderMarkdown(text);
  await storeLayout(store, bodyKey, html).catch((error: unknown) => console.error("layout not kept", reasonOf(error)));
  return html;
}
