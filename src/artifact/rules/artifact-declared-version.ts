// The version that a page declares: a meta tag in HTML, or a line of front matter in Markdown.

import { artifactVersionMax } from "../../rules/limits.ts";
import type { TextKind } from "./artifact.ts";

/** The names under which a page declares its version. */
const names = ["artifact-version", "version"];

/** Returns the version of the first declaration, an integer from 1 on; null if there is none or it is invalid. */
export function declaredVersion(kind: TextKind, page: string): number | null {
  const text = kind === "html" ? inMetaTag(page) : inFrontMatter(page);
  if (text === null || !/^\d{1,10}$/.test(text)) return null;
  const version = Number(text);
  return version >= 1 && version <= artifactVersionMax ? version : null;
}

/** Elements whose content is skipped. */
const opaque = /<(script|style|template|textarea|title|noscript)[\s/>]/iy;
const metaTag = /^<meta(?=[\s/])((?:[^>"']|"[^"]*"|'[^']*')*)>/i;
/** Longer tags and later ones are ignored, which bounds the time for any page. */
const tagCharactersMax = 1_000;
const metaTagsMax = 200;
const attribute = /(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Finds `<meta name="artifact-version" content="7">` in one walk over the page. */
function inMetaTag(page: string): string | null {
  const lower = page.toLowerCase();
  const behind = (end: string, from: number) => {
    const found = lower.indexOf(end, from);
    return found < 0 ? page.length : found + end.length;
  };
  let metaTags = 0;
  for (let at = page.indexOf("<"); at >= 0 && metaTags < metaTagsMax; at = page.indexOf("<", at)) {
    if (page.startsWith("<!--", at)) {
      at = behind("-->", at + 4);
      continue;
    }
    opaque.lastIndex = at;
    const [, name] = opaque.exec(page) ?? [];
    if (name !== undefined) {
      at = behind(`</${name.toLowerCase()}`, at);
      continue;
    }
    if (lower.startsWith("<meta", at)) {
      metaTags += 1;
      const declared = contentOf(metaTag.exec(page.slice(at, at + tagCharactersMax))?.[1] ?? "");
      if (declared !== null) return declared;
    }
    at += 1;
  }
  return null;
}

function contentOf(attributes: string): string | null {
  const found = new Map(
    [...attributes.matchAll(attribute)].map(([, name = "", ...values]) => [
      name.toLowerCase(),
      values.find((value) => value !== undefined) ?? "",
    ]),
  );
  return names.includes((found.get("name") ?? "").trim().toLowerCase()) ? (found.get("content") ?? "").trim() : null;
}

const frontMatterLinesMax = 200;

/** Finds `version: 7` between two lines of `---` at the very beginning. */
function inFrontMatter(page: string): string | null {
  const [first, ...lines] = page.replace(/^\ufeff/, "").split("\n", frontMatterLinesMax);
  if (first?.trimEnd() !== "---") return null;
  const end = lines.findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  for (const line of end < 0 ? [] : lines.slice(0, end)) {
    const [, name = "", value = ""] = /^([A-Za-z-]+)\s*:(.*)$/.exec(line.trimEnd()) ?? [];
    if (names.includes(name.toLowerCase()))
      return value
        .replace(/\s#.*$/, "")
        .replace(/["']/g, "")
        .trim();
  }
  return null;
}
