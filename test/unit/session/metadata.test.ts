import { describe, expect, it } from "vitest";
import { metadataCharactersMax } from "../../../src/rules/limits.ts";
import {
  type Metadata,
  type MetadataChanges,
  parseMetadataFilter,
  updateMetadata,
} from "../../../src/session/rules/metadata.ts";

const many = (count: number): Metadata =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, "value"]));

describe("a change of metadata", () => {
  it.each<[what: string, before: Metadata, changes: MetadataChanges, after: Metadata]>([
    ["adds keys", {}, { ci: "1234", "a.b_c-D": "" }, { ci: "1234", "a.b_c-D": "" }],
    ["replaces a value", { ci: "1", team: "red" }, { ci: "2" }, { ci: "2", team: "red" }],
    ["deletes a key with null", { ci: "1", team: "red" }, { ci: null }, { team: "red" }],
    ["ignores null for a key that is not there", { ci: "1" }, { team: null }, { ci: "1" }],
    ["keeps everything without changes", { ci: "1" }, {}, { ci: "1" }],
    ["fills the last place", many(49), { last: "one" }, { ...many(49), last: "one" }],
    ["replaces one of 50", many(50), { "key-0": "other" }, { ...many(50), "key-0": "other" }],
    [
      "has keys of 40 characters and values of 500",
      {},
      { ["k".repeat(40)]: "v".repeat(500) },
      { ["k".repeat(40)]: "v".repeat(500) },
    ],
    ["counts a pair of surrogates as one character", {}, { ci: "🚆".repeat(500) }, { ci: "🚆".repeat(500) }],
    [
      "counts all characters so, too",
      Object.fromEntries(Array.from({ length: 18 }, (_, at) => [`k${at}`, "🚆".repeat(500)])),
      { more: "🚆".repeat(500) },
      Object.fromEntries(
        [...Array.from({ length: 18 }, (_, at) => `k${at}`), "more"].map((key) => [key, "🚆".repeat(500)]),
      ),
    ],
  ])("%s", (_, before, changes, after) => expect(updateMetadata(before, changes)).toEqual(after));

  const long = (characters: number) => "v".repeat(characters);
  it.each<[what: string, before: Metadata, changes: MetadataChanges]>([
    ["an empty key", {}, { "": "x" }],
    ["a key with a colon", {}, { "a:b": "x" }],
    ["a key with a space", {}, { "a b": "x" }],
    ["a key of 41 characters", {}, { ["k".repeat(41)]: "x" }],
    ["a value of 501 characters", {}, { ci: long(501) }],
    ["a key that is deleted and has a wrong form", {}, { ä: null }],
    ["a 51st key", many(50), { more: "x" }],
    [
      "more characters than all may have",
      Object.fromEntries(Array.from({ length: metadataCharactersMax / 500 }, (_, at) => [`k${at}`, long(490)])),
      { more: long(500) },
    ],
  ])("refuses %s", (_, before, changes) => {
    expect(updateMetadata(before, changes)).toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

it.each<[text: string, filter: { key: string; value: string } | null]>([
  ["ci:1234", { key: "ci", value: "1234" }],
  ["url:https://ci.test/1", { key: "url", value: "https://ci.test/1" }],
  ["ci:", { key: "ci", value: "" }],
  ["ci", null],
  [":1234", null],
  ["", null],
  ["a b:c", null],
])("the condition %j is %j", (text, filter) => expect(parseMetadataFilter(text)).toEqual(filter));
