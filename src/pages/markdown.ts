// Markdown as a page shows it. What is HTML in it stays text, and addresses that run something are left out: micromark lets neither
// through unless it is told to.
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

// What micromark makes of an address that it does not let through: the words of a link and of an image stay.
const leadsNowhere = /<a href=""(?: title="[^"]*")?>([\s\S]*?)<\/a>/g;
const showsNothing = /<img src="" alt="([^"]*)"(?: title="[^"]*")? \/>/g;

/** Renders GitHub-flavoured markdown as HTML that is safe to show. Links to elsewhere open in a tab of their own. */
export function renderMarkdown(text: string): string {
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const followed = html.replace(leadsNowhere, "$1").replace(showsNothing, "$1");
  // A `<` of the text itself is escaped, so that this can only be a tag.
  return followed.replace(/<a href="(?=https?:)/g, '<a target="_blank" rel="noopener noreferrer" href="');
}
