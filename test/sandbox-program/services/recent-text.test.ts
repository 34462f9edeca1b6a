import { expect, test } from "vitest";
import { createRecentText } from "../../../sandbox-program/services/recent-text.ts";

test("the end of a text is kept, in whole characters", () => {
  const recent = createRecentText(1_000);
  expect(recent.end(1_000)).toBe("");
  recent.push("a");
  recent.push("é");
  expect([recent.end(3), recent.end(2), recent.end(1)]).toEqual(["aé", "é", ""]);
  for (let at = 0; at < 100_000; at++) recent.push(`${at}\n`);
  expect(recent.end(1_000).endsWith("99998\n99999\n")).toBe(true);
  expect(Buffer.byteLength(recent.end(1_000))).toBe(1_000);
  recent.push("💥".repeat(10_000));
  expect(recent.end(1_002)).toBe("💥".repeat(250));
});

test("the memory is limited for any length", () => {
  const recent = createRecentText(1_000);
  for (let at = 0; at < 1_000; at++) recent.push("x".repeat(10_000));
  expect(recent.end(1_000_000).length).toBeLessThan(20_000);
});

test("its length counts everything that was pushed", () => {
  const recent = createRecentText(10);
  for (const text of ["aé", "", "💥", "x".repeat(100)]) recent.push(text);
  expect(recent.length()).toBe(104);
});
