// Layouts of a page that is requested repeatedly.
import { expect, test } from "vitest";
import { createLayoutCache } from "../../../src/pages/layouts.ts";

test("a text is laid out once, and only the layouts that were used last are cached", () => {
  const laidOut: string[] = [];
  // With their layouts, two texts of two characters fit, and a third does not.
  const layout = createLayoutCache((text) => {
    laidOut.push(text);
    return `<${text}>`;
  }, 12);
  expect(["aa", "bb", "aa", "bb", "aa"].map(layout)).toEqual(["<aa>", "<bb>", "<aa>", "<bb>", "<aa>"]);
  expect(laidOut).toEqual(["aa", "bb"]);
  layout("cc");
  layout("aa");
  expect(laidOut).toEqual(["aa", "bb", "cc"]);
  layout("bb");
  expect(laidOut).toEqual(["aa", "bb", "cc", "bb"]);
});

test("a text that is larger than the whole cache is laid out each time", () => {
  let count = 0;
  const layout = createLayoutCache((text) => {
    count += 1;
    return text;
  }, 10);
  expect([layout("much too long"), layout("much too long"), count]).toEqual(["much too long", "much too long", 2]);
});
