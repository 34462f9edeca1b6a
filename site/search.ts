// The index of the search: titles, headings and operations with their addresses.
import type { Heading } from "./markdown.ts";

export interface SearchablePage {
  path: string;
  title: string;
  group: string;
  headings: Heading[];
}

/** A title, where it is, its address, and other words that find it. */
export type SearchRow = [title: string, place: string, address: string, words?: string];

/** Lists the pages first, and then their headings. `words` has more words by address. */
export function listSearchRows(pages: SearchablePage[], words: ReadonlyMap<string, string>): SearchRow[] {
  const titles = pages.map(({ path, title, group }): SearchRow => [title, group, path]);
  const headings = pages.flatMap(({ path, title, headings }) =>
    headings
      .filter(({ level }) => level > 1)
      .map(({ text, anchor }): SearchRow => {
        const address = `${path}#${anchor}`;
        const more = words.get(address);
        return more === undefined ? [text, title, address] : [text, title, address, more];
      }),
  );
  return [...titles, ...headings];
}
