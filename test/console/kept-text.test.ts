// What a person types after they have sent a text stays in the field.
import { expect, test } from "vitest";
import { clearSent, withoutSent } from "../../console/src/ui/kept-text.ts";

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
