// A snippet of a message, in parts: what was searched for, and the text between.

export interface SnippetPart {
  /** Where it begins. */
  at: number;
  text: string;
  isMatch: boolean;
}

/** Splits a snippet at its marks. Marks that overlap or lie outside are left out. */
export function splitSnippet(snippet: string, marks: readonly (readonly number[])[]): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let done = 0;
  const add = (to: number, isMatch: boolean) => {
    if (to > done) parts.push({ at: done, text: snippet.slice(done, to), isMatch });
    done = Math.max(done, to);
  };
  for (const [from = 0, to = 0] of marks) {
    if (from < done || to > snippet.length) continue;
    add(from, false);
    add(to, true);
  }
  add(snippet.length, false);
  return parts;
}
