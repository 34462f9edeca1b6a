// The names of the copies of a Prototype's variants.
import { expect, it } from "vitest";
import { readNaming } from "../../../src/artifact/rules/artifact.ts";
import { createCopySlug, createVariantSlugs } from "../../../src/artifact/rules/prototype.ts";
import { artifactSlugCharacters } from "../../../src/rules/limits.ts";

it.each([
  [
    ["Compact", "Roomy"],
    ["compact", "roomy"],
  ],
  [
    ["a b", "A-B", "a.b"],
    ["a-b", "a-b-2", "a-b-3"],
  ],
  [
    ["案", "b"],
    ["variant-1", "b"],
  ],
  [
    ["a", "a-2", "A"],
    ["a", "a-2", "a-3"],
  ],
])("variants %j are the slugs %j", (names, slugs) => {
  expect(createVariantSlugs(names)).toEqual(slugs);
});

it("every slug is valid for an artifact, also the longest", () => {
  const prototypeId = "01a1fd77-f46c-7327-8c27-fc511d477bc9";
  const long = "x".repeat(200);
  for (const slug of createVariantSlugs([long, `${long}!`, "b"]).flatMap((one) => [
    one,
    createCopySlug(one, prototypeId),
  ])) {
    expect(slug.length).toBeLessThanOrEqual(artifactSlugCharacters);
    expect(readNaming({ slug, title: "T", kind: "html" })).toMatchObject({ slug });
  }
});
