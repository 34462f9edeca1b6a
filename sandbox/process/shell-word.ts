/** A word of bash for a text, on one line. */
export function shellWord(text: string): string {
  return `$'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
}
