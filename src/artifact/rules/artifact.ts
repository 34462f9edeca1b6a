// Artifacts: documents, mockups, images and videos that an agent writes in a session, each under a
// slug. Their names, sizes and versions (Part 1, "Artifact"). The statement that stores a version
// increments it (`queries.ts`).

import {
  artifactMediaBytes,
  artifactSlugCharacters,
  artifactsMax,
  artifactTextBytes,
  artifactTitleCharacters,
  artifactVersionMax,
} from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { hasMoreCodePoints } from "../../rules/text.ts";

/** The kinds whose body is text. */
export const textKinds = ["markdown", "html"] as const;
/** The kinds whose body is a file. */
const mediaKinds = ["image", "video"] as const;
export const artifactKinds = [...textKinds, ...mediaKinds] as const;
export type TextKind = (typeof textKinds)[number];
export type MediaKind = (typeof mediaKinds)[number];
export type ArtifactKind = (typeof artifactKinds)[number];

/** The slug, title and kind of an artifact. */
export interface ArtifactNaming {
  slug: string;
  title: string;
  kind: ArtifactKind;
}

export const isTextKind = (kind: ArtifactKind): kind is TextKind => textKinds.some((known) => known === kind);

const slugShape = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${artifactSlugCharacters - 1}}$`);

/** Validates the slug, title and kind of a write. */
export function readNaming({ slug, title, kind }: Record<keyof ArtifactNaming, unknown>): ArtifactNaming | Refusal {
  if (typeof slug !== "string" || !slugShape.test(slug))
    return refuse(
      "VALIDATION_ERROR",
      `The slug has 1 to ${artifactSlugCharacters} letters, digits, \`-\`, \`_\` and \`.\`, a letter or digit first.`,
    );
  const name = typeof title === "string" ? plainTitle(title) : "";
  if (name === "" || hasMoreCodePoints(name, artifactTitleCharacters))
    return refuse("VALIDATION_ERROR", `The title has 1 to ${artifactTitleCharacters} characters.`);
  const known = artifactKinds.find((candidate) => candidate === kind);
  if (!known) return refuse("VALIDATION_ERROR", `The kind is one of ${artifactKinds.join(", ")}.`);
  return { slug, title: name, kind: known };
}

/** Puts a title on a single line. */
const plainTitle = (title: string) =>
  title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

/** The refusal of an artifact above the maximum number of an owner. */
export const artifactsAreFull = refuse(
  "BAD_REQUEST",
  `There are ${artifactsMax} artifacts, which is the most. Write under the slug of one of them: that replaces it.`,
);

/** The size limit of an artifact of a kind, in bytes. */
export const getMaxBytes = (kind: ArtifactKind) => (isTextKind(kind) ? artifactTextBytes : artifactMediaBytes);

/** Refuses a body that is too large. `bytes` is the size so far. */
export function checkBodySize(kind: ArtifactKind, bytes: number): Refusal | null {
  if (bytes <= getMaxBytes(kind)) return null;
  return refuse("PAYLOAD_TOO_LARGE", `An artifact of kind ${kind} holds at most ${getMaxBytes(kind)} bytes.`);
}

/**
 * Returns the version that a body declares for its artifact. Null if it declares none or an invalid
 * one; the version of the artifact is then incremented, starting at 1.
 */
export function parseArtifactVersion(kind: ArtifactKind, body: string | null): number | null {
  return body !== null && isTextKind(kind) ? parseDeclaredVersion(kind, body) : null;
}

/** The names with which a page declares its version. */
const names = ["artifact-version", "version"];

/**
 * Returns the version that a page declares first, in a meta tag in HTML or in a line of front
 * matter in Markdown. It is an integer of at least 1; null if there is none or it is invalid.
 */
export function parseDeclaredVersion(kind: TextKind, page: string): number | null {
  const text = kind === "html" ? inMetaTag(page) : inFrontMatter(page);
  if (text === null || !/^\d{1,10}$/.test(text)) return null;
  const version = Number(text);
  return version >= 1 && version <= artifactVersionMax ? version : null;
}

/** Elements whose content is skipped. */
const opaque = /<(script|style|template|textarea|title|noscript)[\s/>]/iy;
const metaTag = /^<meta(?=[\s/])((?:[^>"']|"[^"]*"|'[^']*')*)>/i;
/** Longer tags and tags after them are ignored, which limits the time for any page. */
const tagCharactersMax = 1_000;
const metaTagsMax = 200;
const attribute = /(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Finds `<meta name="artifact-version" content="7">` in one pass over the page. */
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
      const declared = findContent(metaTag.exec(page.slice(at, at + tagCharactersMax))?.[1] ?? "");
      if (declared !== null) return declared;
    }
    at += 1;
  }
  return null;
}

function findContent(attributes: string): string | null {
  const found = new Map(
    [...attributes.matchAll(attribute)].map(([, name = "", ...values]) => [
      name.toLowerCase(),
      values.find((value) => value !== undefined) ?? "",
    ]),
  );
  return names.includes((found.get("name") ?? "").trim().toLowerCase()) ? (found.get("content") ?? "").trim() : null;
}

const frontMatterLinesMax = 200;

/** Finds `version: 7` between two lines of `---` at the very start. */
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
