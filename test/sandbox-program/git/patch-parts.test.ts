// A patch within a length, however the pieces of it come.
import { expect, test } from "vitest";
import { createPatchParts } from "../../../sandbox-program/git/patch-parts.ts";

const head = (name: string) => `diff --git a/${name} b/${name}\nindex 1..2 100644\n`;
const part = (name: string, lines: number) =>
  `${head(name)}--- a/${name}\n+++ b/${name}\n@@ -1 +1,${lines} @@\n${"+line\n".repeat(lines)}`;
const renamed = "diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n";
const named = (name: string) =>
  `${head(name)}Files a/${name} and b/${name} differ; the lines are too many to be shown\n`;

function read(patch: string, bytesMax: number, pieceBytes = 1 << 20) {
  const parts = createPatchParts(bytesMax);
  const bytes = Buffer.from(patch);
  for (let at = 0; at < bytes.length; at += pieceBytes) parts.take(bytes.subarray(at, at + pieceBytes));
  return parts;
}

test.each([1, 5, 8, 9, 100, 4_096])(
  "parts that fit are shown, the others are named, in pieces of %s bytes",
  (bytes) => {
    const [small, large] = [part("small", 3), part("large", 1_000)];
    expect(read(small + large + small, 4_000, bytes).fitted()).toEqual({
      patch: small + named("large") + small,
      isCut: true,
    });
    expect(read(small + large + small, 10_000, bytes).fitted()).toEqual({ patch: small + large + small, isCut: false });
  },
);

test("parts without lines are shown even after the limit", () => {
  const full = part("full", 500);
  expect(read(full + renamed + part("last", 1), full.length).fitted().patch).toBe(full + renamed + named("last"));
});

test("a single part is shown as far as it fits, to the end of a line", () => {
  const large = part("large", 50_000);
  const { patch, isCut } = read(large, 40_000).started();
  expect([isCut, large.startsWith(patch), patch.endsWith("+line\n"), patch.length > 39_990]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(read("", 10).started()).toEqual({ patch: "", isCut: false });
});

test("as many files are named as fit", () => {
  const { patch, isCut } = read(part("large", 100).repeat(10_000), 10).fitted();
  expect([isCut, patch.length < 256 * 1_024, patch.startsWith(named("large").repeat(2_000))]).toEqual([
    true,
    true,
    true,
  ]);
});
