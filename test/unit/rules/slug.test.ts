import { expect, it } from "vitest";
import { toSlug } from "../../../src/rules/text.ts";

it.each([
  ["Variant A", "variant-a"],
  ["  Große Übersicht! ", "gro-e-ubersicht"],
  ["compact", "compact"],
  ["Ångström", "angstrom"],
  ["案", "fallback"],
  ["--", "fallback"],
  ["", "fallback"],
  ["x".repeat(300), "x".repeat(100)],
  [`${"x".repeat(99)} y`, "x".repeat(99)],
])("%j makes the slug %j", (text, slug) => {
  expect(toSlug(text, { most: 100, fallback: "fallback" })).toBe(slug);
});
