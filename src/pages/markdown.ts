// Markdown as a page shows it. What is HTML in it stays text, and addresses that run something lead nowhere: micromark lets neither
// through unless it is told to.
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** Renders GitHub-flavoured markdown as HTML that is safe to show. Links to elsewhere open in a tab of their own. */
export function renderMarkdown(text: string): string {
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  // A `<` of the text itself is escaped, so that this can only be a tag.
  return html.replace(/<a href="(?=https?:)/g, '<a target="_blank" rel="noopener noreferrer" href="');
}
