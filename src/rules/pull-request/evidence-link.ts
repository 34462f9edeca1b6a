// The links in what people write behind `--evidence` (Part 1, "Flags of open-pr"): bare, in angle brackets, or with words of their own as in
// Markdown.

const link = /^https?:\/\/[^\s<>]+$/i;
const withWords = /!?\[[^\]]*\]\(<?(https?:\/\/[^\s<>]*?)>?\)(?=[\s,;.]|!?\[|$)/gi;
const inBrackets = /<(https?:\/\/[^\s<>]+)>/gi;

/** The links of a text. A comma may be part of a link, but not where another link begins behind it, nor at its end. */
export function evidenceLinks(text: string): string[] {
  return text
    .replace(withWords, " $1 ")
    .replace(inBrackets, " $1 ")
    .split(/[,;]\s*(?=https?:\/\/)|\s+/i)
    .map((part) => part.replace(/[,;]+$/, ""))
    .filter((part) => link.test(part));
}
