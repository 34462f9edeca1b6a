// Keys between a shortcut and the field that it opens.
import { expect, test } from "vitest";
import { EarlyKeys } from "../../console/src/shell/early-keys.ts";

const stroke = (key: string, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
const type = (keys: EarlyKeys, typed: string[]) => typed.map((key) => keys.add(stroke(key), 1_000));

test("they are kept in their order for the field, and none is a shortcut", () => {
  const keys = new EarlyKeys();
  keys.start(0);
  const typed = [..."gone nothinn", "Backspace", "g", "ArrowDown", "Enter", "Shift", "🙂", "Backspace"];
  expect(type(keys, typed)).toEqual(typed.map(() => true));
  expect(keys.take()).toBe("gone nothing");
  expect(type(keys, ["n"])).toEqual([false]);
  expect(keys.take()).toBe("");
});

test("a command of the browser is none of them, a letter with Control and Alt is one", () => {
  const keys = new EarlyKeys();
  keys.start(0);
  expect(keys.add(stroke("r", { metaKey: true }), 1)).toBe(false);
  expect(keys.add(stroke("@", { ctrlKey: true, altKey: true }), 1)).toBe(true);
  expect(keys.take()).toBe("@");
});

test("nothing is kept without a shortcut, after Escape, or when nothing opens", () => {
  const keys = new EarlyKeys();
  expect(type(keys, ["n"])).toEqual([false]);
  keys.start(0);
  expect(type(keys, ["a", "Escape", "n"])).toEqual([true, false, false]);
  keys.start(0);
  expect(keys.add(stroke("n"), 10_000)).toBe(false);
});
