// Renders Markdown for a page. By default micromark escapes HTML and drops addresses that can run scripts.
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

// The output for dropped addresses. Only the text of the link or image is shown.
const emptyLink = /<a href=""(?: title="[^"]*")?>([\s\S]*?)<\/a>/g;
const emptyImage = /<img src="" alt="([^"]*)"(?: title="[^"]*")? \/>/g;

/** Renders GitHub-flavoured Markdown as safe HTML. Links open in a new tab. */
export function renderMarkdown(text: string): string {
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const cleaned = html.replace(emptyLink, "$1").replace(emptyImage, "$1");
  // A `<` of the text is escaped, so this matches tags only.
  return cleaned.replace(/<a href="(?=https?:)/g, '<a target="_blank" rel="noopener noreferrer" href="');
}
