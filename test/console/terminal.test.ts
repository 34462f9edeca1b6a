// What a terminal's socket carries besides bytes, as the console reads and writes it.
import { describe, expect, test } from "vitest";
import { findTabByDigit, tabs } from "../../console/src/panel/tabs.ts";
import {
  createReadCounter,
  createTerminalUrl,
  describeEnd,
  limitSize,
  readBinaryInput,
  readEnd,
  splitInput,
} from "../../console/src/terminal/frames.ts";
import { encodeKey, type ScreenKey, withCtrl } from "../../console/src/terminal/keys.ts";

describe("a size", () => {
  const sizes: [given: [number, number], limited: [number, number]][] = [
    [
      [80, 24],
      [80, 24],
    ],
    [
      [80.7, 24.2],
      [80, 24],
    ],
    [
      [0, -3],
      [1, 1],
    ],
    [
      [900, 501],
      [500, 500],
    ],
  ];
  test.each(sizes)("of %j is sent as %j", ([cols, rows], [limitedCols, limitedRows]) => {
    expect(limitSize({ cols, rows })).toEqual({ cols: limitedCols, rows: limitedRows });
  });
});

test.each<[ScreenKey, string, string, string]>([
  ["Esc", "\x1b", "\x1b", "\x1b"],
  ["Tab", "\t", "\t", "\t"],
  ["Up", "\x1b[A", "\x1bOA", "\x1b[1;5A"],
  ["Left", "\x1b[D", "\x1bOD", "\x1b[1;5D"],
])("the key %s on the screen sends %j, to a full-screen program %j, and %j with Ctrl", (key, sent, full, ctrl) => {
  expect(encodeKey(key, { hasCtrl: false, isApplication: false })).toBe(sent);
  expect(encodeKey(key, { hasCtrl: false, isApplication: true })).toBe(full);
  expect(encodeKey(key, { hasCtrl: true, isApplication: false })).toBe(ctrl);
});

test.each([
  ["c", "\x03"],
  ["C", "\x03"],
  ["[", "\x1b"],
  [" ", "\x00"],
  ["1", "1"],
  ["ls", "ls"],
])("after Ctrl, %j is sent as %j", (text, sent) => {
  expect(withCtrl(text)).toBe(sent);
});

test.each([
  ["http://localhost:8787", "ws://localhost:8787"],
  ["https://switchyard.example", "wss://switchyard.example"],
])("a page of %s opens %s", (origin, socket) => {
  const url = createTerminalUrl(origin, { projectId: "p1", id: "s1" }, { cols: 700, rows: 24 });
  expect(url).toBe(`${socket}/api/projects/p1/chat-sessions/s1/preview/terminal?cols=500&rows=24`);
});

test.each([
  ['{"end":"Nobody typed."}', "Nobody typed."],
  ['{"end":7}', null],
  ['{"other":"x"}', null],
  ["null", null],
  ["no JSON", null],
])("the frame %s says %j", (text, end) => {
  expect(readEnd(text)).toBe(end);
});

test.each([
  [1006, false, "could not be opened"],
  [1006, true, "broke"],
  [1001, true, "broke"],
  [1000, true, "The shell has ended."],
  [1005, true, "The shell has ended."],
])("a close with %i, open before: %j, says %j", (code, wasOpen, words) => {
  expect(describeEnd(code, wasOpen)).toContain(words);
});

test("long input is split, and nothing of it is lost", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);
  const frames = splitInput(bytes);
  expect(Math.max(...frames.map(({ length }) => length))).toBe(32_768);
  expect(Buffer.concat(frames).equals(bytes)).toBe(true);
  expect(splitInput(new Uint8Array())).toEqual([]);
});

test("each character of binary input is one byte", () => {
  expect([...readBinaryInput("\x1b[M\xff")]).toEqual([27, 91, 77, 255]);
});

test("shown output is reported in steps, as a sum", () => {
  const reports: number[] = [];
  const add = createReadCounter((total) => reports.push(total));
  for (let at = 0; at < 5; at++) add(30_000);
  expect(reports).toEqual([90_000]);
  add(30_000);
  expect(reports).toEqual([90_000, 180_000]);
});

test("⌥ and a digit lead to each tab, and to nothing else", () => {
  const find = (digit: string, altKey = true) => findTabByDigit({ altKey, code: `Digit${digit}` });
  expect(tabs.map((_, at) => find(String(at + 1)))).toEqual(tabs.map(({ name }) => name));
  expect([find("0"), find("7"), find("6", false)]).toEqual([null, null, null]);
});
