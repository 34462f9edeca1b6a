// Names and lines as they are shown: what would make a text look like another one is a sign.
import { expect, test } from "vitest";
import { nameCharacter, splitVisible, toVisibleCode, toVisibleName } from "../../console/src/ui/visible.ts";

test.each<[what: string, name: string, shown: string]>([
  ["turned and broken", "a\u202efdp.js/new\nline.txt", "a\ufffdfdp.js/new␊line.txt"],
  ["with a mark of Arabic", "a\u061cb", "a\ufffdb"],
  ["with a tab and an escape", "a\t\u001b[1m", "a␉␛[1m"],
  ["of Hebrew and Arabic, without marks", "דוח שנתי.txt خروج", "דוח שנתי.txt خروج"],
])("a name that is %s", (_, name, shown) => {
  expect(toVisibleName(name)).toBe(shown);
});

test.each<[what: string, line: string, shown: string]>([
  ["isolates", "if (\u2067admin\u2069)", "if (\ufffdadmin\ufffd)"],
  ["indents and an end as of Windows", "\tconst a = 1;\r", "\tconst a = 1;\r"],
  ["others after it", "one\r\n\ttwo\r\n", "one\r\n\ttwo\r\n"],
  ["a carriage return within it", "rm -rf\recho", "rm -rf␍echo"],
])("a line with %s", (_, line, shown) => {
  expect(toVisibleCode(line)).toBe(shown);
});

test("each sign is a part that knows its character", () => {
  const text = "\u202elive\u0007";
  const parts = splitVisible(text, toVisibleCode(text));
  expect(parts).toEqual([
    { text: "\ufffd", hidden: "\u202e" },
    { text: "live", hidden: null },
    { text: "␇", hidden: "\u0007" },
  ]);
  expect(parts.map(({ text, hidden }) => hidden ?? text).join("")).toBe(text);
  expect(parts.flatMap(({ hidden }) => hidden ?? []).map(nameCharacter)).toEqual(["U+202E", "U+0007"]);
});
