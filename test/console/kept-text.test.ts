// What a person types is kept, and stays in the field after they have sent a text before it.
import { afterEach, expect, test, vi } from "vitest";
import {
  clearKeptTexts,
  clearSent,
  countKeptTexts,
  readKeptText,
  saveKeptText,
  withoutSent,
} from "../../console/src/ui/kept-text.ts";

/** A browser's storage that has room for texts of at most ten characters. */
function stubStorage(): Record<string, string> {
  const stored: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => stored[name] ?? null,
    removeItem: (name: string) => delete stored[name],
    setItem(name: string, text: string) {
      if (text.length > 10) throw new DOMException("full", "QuotaExceededError");
      stored[name] = text;
    },
    clear() {
      for (const name of Object.keys(stored)) delete stored[name];
    },
  };
  Object.setPrototypeOf(stored, methods);
  vi.stubGlobal("sessionStorage", stored);
  return stored;
}

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["a short text", false, ["note"], "note", "note"],
  ["a text that has no room", false, ["note", "a much longer note"], "a much longer note", "note"],
  ["a text that has room again", false, ["a much longer note", "a note"], "a note", "a note"],
  ["a secret", true, ["s3cret"], "s3cret", undefined],
  ["a text that was emptied", false, ["note", ""], "", undefined],
  ["a secret that was emptied", true, ["s3cret", ""], "", undefined],
] as const)("%s is the one that is read", (what, isSecret, texts, read, inStorage) => {
  const stored = stubStorage();
  for (const text of texts) saveKeptText(what, text, isSecret);
  expect([readKeptText(what), stored[`kept:${what}`]]).toEqual([read, inStorage]);
});

test("a sign-out counts the texts it would delete, and nothing else that the tab stores", () => {
  const stored = stubStorage();
  clearKeptTexts();
  stored["scroll-restoration"] = "{}";
  saveKeptText("comment:a", "Sort it", false);
  saveKeptText("choice:comment:a:lines", "1-2", false);
  saveKeptText("commit:a", "a text that has no room", false);
  saveKeptText("network-secret:a", "s3cret", true);
  saveKeptText("commit:b", "emptied", false);
  saveKeptText("commit:b", "", false);
  expect(countKeptTexts()).toBe(3);
  clearKeptTexts();
  expect(countKeptTexts()).toBe(0);
});

test.each([
  ["the sent text", "Sort by time", "Sort by time", ""],
  ["what was typed after it", "Sort by time\n\nThen test", "Sort by time", "Then test"],
  ["another text", "Test it", "Sort by time", "Test it"],
  ["a sent text that was changed since", "Sort by name", "Sort by time", "Sort by name"],
])("of %s, what was not sent stays", (_, now, sent, rest) => {
  expect(withoutSent(now, sent)).toBe(rest);
});

test.each([
  ["a sent text is emptied", "Chat", "Chat", ""],
  ["one that was changed since stays whole", "Chat of Tuesday", "Chat", "Chat of Tuesday"],
  ["another one stays", "Mail", "Chat", "Mail"],
])("in a field of one line, %s", (_, now, sent, rest) => {
  expect(clearSent(sent)(now)).toBe(rest);
});
