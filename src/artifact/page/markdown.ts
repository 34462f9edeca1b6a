// Renders Markdown for a page. By default micromark escapes HTML and drops addresses that can run
// scripts.
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { log } from "../../lib/log.ts";
import { readLayout, saveLayout } from "../bodies.ts";
import { isWithinLayoutBounds } from "../rules/markdown-bounds.ts";

// The output for dropped addresses. Only the text of the link or image is shown.
const emptyLink = /<a href=""(?: title="[^"]*")?>([\s\S]*?)<\/a>/g;
const emptyImage = /<img src="" alt="([^"]*)"(?: title="[^"]*")? \/>/g;
/**
 * An image, or a link with its whole content, because an image in a link cannot be a link itself.
 */
const linkOrImage = /<a [^>]*>[\s\S]*?<\/a>|<img [^>]*>/g;
const image = /<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? \/>/g;

/**
 * Renders GitHub-flavoured Markdown as safe HTML. Links open in a new tab. An image on another
 * server becomes a link, because loading it would reveal to that server who reads the document. A
 * document that is too large to be laid out is shown as text.
 */
export function renderMarkdown(text: string): string {
  if (!isWithinLayoutBounds(text)) return `${tooLarge}<pre>${escaped(text)}</pre>`;
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const cleaned = html
    .replace(emptyLink, "$1")
    .replace(emptyImage, "$1")
    .replace(linkOrImage, (part) => (part.startsWith("<a ") ? part.replace(image, "$2") : part.replace(image, linked)));
  // A `<` in the text is escaped, so this matches only tags.
  return cleaned.replace(/<a href="(?=https?:)/g, '<a target="_blank" rel="noopener noreferrer" href="');
}

function linked(_: string, address: string, words: string): string {
  return `<a href="${address}">Image: ${words || address}</a>`;
}

const tooLarge = "<p><em>This document is too large or too nested to be laid out. It is shown as text.</em></p>";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? "");
}

/**
 * Returns the layout of a version of a document, by the key of its body. It is rendered for the
 * first visitor, and stored for all others.
 */
export async function getLayout(store: R2Bucket, bodyKey: string, text: string): Promise<string> {
  const kept = await readLayout(store, bodyKey);
  if (kept !== null) return kept;
  const html = renderMarkdown(text);
  await saveLayout(store, bodyKey, html).catch((error: unknown) => log.warn("artifact.layout_not_stored", { error }));
  return html;
}
