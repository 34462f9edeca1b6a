// The links behind `--evidence` (Part 1, "Flags of open-pr"): bare, in angle brackets, or Markdown links. No pattern looks past the start of the
// next link, so reading takes linear time.

const link = /^https?:\/\/[^\s<>]+$/i;
const withWords = /!?\[[^[\]]*\]\(<?(https?:\/\/(?:(?!\]\()[^\s<>])*?)>?\)(?=[\s,;.]|!?\[|$)/gi;
const inBrackets = /<(https?:\/\/[^\s<>]+)>/gi;

/** The links of a text. A comma may be part of a link, but not at its end, nor before another link. */
export function evidenceLinks(text: string): string[] {
  return text
    .replace(withWords, " $1 ")
    .replace(inBrackets, " $1 ")
    .split(/[,;]\s*(?=https?:\/\/)|\s+/i)
    .map(withoutEnd)
    .filter((part) => link.test(part));
}

/** Without the commas at its end. */
function withoutEnd(part: string): string {
  let end = part.length;
  while (end > 0 && ",;".includes(part.charAt(end - 1))) end--;
  return part.slice(0, end);
}
