// Which slugs and titles an artifact may have, how large it is at most, and what its file is (Part
// 1, "Artifact").
import { describe, expect, it } from "vitest";
import {
  type ArtifactKind,
  checkBodySize,
  parseArtifactVersion,
  readNaming,
} from "../../../src/artifact/rules/artifact.ts";
import { getContentDisposition, getMediaType } from "../../../src/artifact/rules/media-type.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

describe("the slug of an artifact", () => {
  it.each(["a", "A", "report-2", "v1.2_final", "0", "x".repeat(100)])("can be %s", (slug) => {
    expect(readNaming({ slug, title: "T", kind: "html" })).toEqual({ slug, title: "T", kind: "html" });
  });

  it.each(["", "-a", ".", "..", "a b", "a/b", "ä", "x".repeat(101), "a\n", 7, null, undefined])("is not %j", (slug) => {
    expect(readNaming({ slug, title: "T", kind: "html" })).toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

describe("the title of an artifact", () => {
  it.each([
    [" A  title\n", "A title"],
    ["😀".repeat(200), "😀".repeat(200)],
    ["Größe 🚀", "Größe 🚀"],
    ["x".repeat(200), "x".repeat(200)],
    ["a\u0000b", "a b"],
  ])("%j is %j", (title, shown) => {
    expect(readNaming({ slug: "a", title, kind: "image" })).toMatchObject({ title: shown });
  });

  it.each(["", " \n", "x".repeat(201), "😀".repeat(201), null, 7])("is not %j", (title) => {
    expect(isRefusal(readNaming({ slug: "a", title, kind: "image" }))).toBe(true);
  });
});

it.each(["markdown", "html", "image", "video"])("%s is a kind of artifact", (kind) => {
  expect(readNaming({ slug: "a", title: "A", kind })).toMatchObject({ kind });
});

it.each(["pdf", "Markdown", "", null])("%j is not a kind of artifact", (kind) => {
  expect(isRefusal(readNaming({ slug: "a", title: "A", kind }))).toBe(true);
});

it.each<[ArtifactKind, number]>([
  ["markdown", 2_097_152],
  ["html", 2_097_152],
  ["image", 100_000_000],
  ["video", 100_000_000],
])("an artifact of kind %s holds %d bytes and none more", (kind, most) => {
  expect(checkBodySize(kind, most)).toBe(null);
  expect(checkBodySize(kind, most + 1)).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

describe("the version that a page declares", () => {
  const front = (line: string) => `---\ntitle: Report\n${line}\n---\n# Report`;
  it.each<[page: string, kind: ArtifactKind, body: string, declared: number | null]>([
    ["a meta tag", "html", '<head><meta charset="utf-8"><meta name="artifact-version" content="7"></head>', 7],
    ["a meta tag by the plain name", "html", '<meta name="version" content="12">', 12],
    ["in any case and order, without quotes", "html", "<META CONTENT=3 NAME=Artifact-Version />", 3],
    ["the first of two", "html", '<meta name="version" content="2"><meta name="version" content="9">', 2],
    ["a tag with a > in it", "html", '<meta name="version" data-x=">" content="4">', 4],
    ["a tag over two lines", "html", '<meta\n  name="version"\n  content="5"\n>', 5],
    ["a comment", "html", '<!-- <meta name="version" content="7"> -->', null],
    ["a comment without an end", "html", '<!-- <meta name="version" content="7">', null],
    ["a script", "html", `<script>x = '<meta name="version" content="7">'</script>`, null],
    ["behind a script", "html", '<script>1 < 2</script><meta name="version" content="7">', 7],
    ["another name", "html", '<meta name="viewport" content="7">', null],
    ["another tag", "html", '<metal name="version" content="7">', null],
    ["no text", "html", "", null],
    ["front matter", "markdown", front("version: 7"), 7],
    ["front matter in quotes, with a comment", "markdown", front('artifact-version: "8"  # eighth'), 8],
    ["front matter with CRLF", "markdown", "---\r\nversion: 9\r\n---\r\n", 9],
    ["front matter without an end", "markdown", "---\nversion: 7\n", null],
    ["a line that is no front matter", "markdown", "# Report\nversion: 7\n", null],
    ["a nested line", "markdown", front("  version: 7"), null],
    ["a meta tag in markdown", "markdown", '<meta name="version" content="7">', null],
    ["front matter in html", "html", front("version: 7"), null],
    ["an image", "image", front("version: 7"), null],
  ])("%s", (_, kind, body, declared) => {
    expect(parseArtifactVersion(kind, body)).toBe(declared);
  });

  it.each(["0", "-1", "1.5", "v2", "", "1e3", "1000000001", "99999999999", "seven"])("is not %j", (content) => {
    expect(parseArtifactVersion("html", `<meta name="version" content="${content}">`)).toBe(null);
    expect(parseArtifactVersion("markdown", front(`version: ${content}`))).toBe(null);
  });

  it("may be up to a billion", () => {
    expect(parseArtifactVersion("html", '<meta name="version" content="1000000000">')).toBe(1_000_000_000);
  });

  it.each([
    ["comments", "<!--"],
    ["tags", "<meta "],
    ["tags with open quotes", '<meta "'],
    ["brackets", "<"],
    ["scripts", "<script>"],
    ["words", "<meta a"],
  ])("is found or not in linear time in two mebibytes of %s", (_, piece) => {
    expect(parseArtifactVersion("html", piece.repeat(2_097_152 / piece.length))).toBe(null);
  });
});

describe("the file of an artifact", () => {
  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const png = "\x89PNG\r\n\x1a\n....";
  it.each<[what: string, kind: "image" | "video", start: string, mediaType: string]>([
    ["a PNG", "image", png, "image/png"],
    ["a JPEG", "image", "\xff\xd8\xff\xe0", "image/jpeg"],
    ["a GIF", "image", "GIF89a", "image/gif"],
    ["a WebP", "image", "RIFF....WEBPVP8 ", "image/webp"],
    ["an AVIF", "image", "\0\0\0\x1cftypavif", "image/avif"],
    ["an SVG", "image", "<svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml"],
    [
      "an SVG behind much",
      "image",
      '\xef\xbb\xbf<?xml version="1.0"?>\n<!DOCTYPE svg>\n<!-- a --> <svg>',
      "image/svg+xml",
    ],
    ["an MP4", "video", "\0\0\0\x20ftypisom", "video/mp4"],
    ["a QuickTime film", "video", "\0\0\0\x14ftypqt  ", "video/quicktime"],
    ["a WebM", "video", "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "video/webm"],
    ["an older QuickTime film", "video", "\0\0\0\x08wide\0\0", "video/quicktime"],
    [
      "an SVG behind what a drawing program writes",
      "image",
      `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b" [<!ENTITY ns "c"> ]><!--${" a".repeat(1_000)}--><svg>`,
      "image/svg+xml",
    ],
  ])("%s", (_, kind, start, mediaType) => {
    expect(getMediaType(kind, bytes(start))).toBe(mediaType);
  });

  it.each<[what: string, kind: "image" | "video", start: string]>([
    ["text", "image", "# Read me"],
    ["a page", "image", "<html><svg></svg>"],
    ["a video that should be an image", "image", "\0\0\0\x20ftypisom"],
    ["an image that should be a video", "video", png],
    ["an audio file", "video", "\0\0\0\x20ftypM4A "],
    ["a text that begins like a film", "video", "The free lunch"],
    ["a list of users", "image", "root:x:0:0:root:/root:/bin/bash"],
    ["nothing", "image", ""],
  ])("is not %s", (_, kind, start) => {
    expect(getMediaType(kind, bytes(start))).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("is downloaded under its slug; a drawing, which can contain scripts, only as a download", () => {
    expect(getContentDisposition("a", "image/png")).toBe('inline; filename="a.png"');
    expect(getContentDisposition("clip-2", "video/mp4")).toBe('inline; filename="clip-2.mp4"');
    expect(getContentDisposition("a", "image/svg+xml")).toBe('attachment; filename="a.svg"');
  });

  it("much white space before a drawing is read in linear time", () => {
    expect(isRefusal(getMediaType("image", bytes(" ".repeat(4_096))))).toBe(true);
  });
});
