// A document that is too long for one page: each of its sections has a page, and one lists them.
import { createAnchors } from "./links.ts";

export interface Section {
  /** The end of its address, which is the anchor of its heading in the document. */
  name: string;
  title: string;
  text: string;
  /** Its headings, with the anchors by which links into the document name them. */
  headings: { anchor: string; title: string }[];
}

/** Splits a document at its headings of the second level. Headings in blocks of code stay code. */
export function splitSections(text: string): { introduction: string; sections: Section[] } {
  const toAnchor = createAnchors();
  const introduction: string[] = [];
  const sections: (Omit<Section, "text"> & { lines: string[] })[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const [marks = null] = /^(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null || marks === fence) fence = fence === null ? marks : null;
    const [, level, heading = ""] = fence === null ? (/^(#+) (.*)$/.exec(line) ?? []) : [];
    const anchor = level && toAnchor(heading);
    if (level === "##" && anchor) sections.push({ name: anchor, title: heading, lines: [], headings: [] });
    const section = sections.at(-1);
    if (anchor) section?.headings.push({ anchor, title: heading });
    (section?.lines ?? introduction).push(section && level ? line.slice(1) : line);
  }
  return {
    introduction: introduction.join("\n"),
    sections: sections.map(({ lines, ...section }) => ({ ...section, text: lines.join("\n") })),
  };
}
