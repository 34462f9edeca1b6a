// Others are served while the texts of a long page are laid out.
import { expect, test } from "vitest";
import { loadLayouts } from "../../../src/pages/layouts.ts";

test("a long conversation is laid out in pieces, between which others are served", async () => {
  const order: string[] = [];
  const text = "x".repeat(100_000);
  const laidOut = loadLayouts(
    Array.from({ length: 6 }, () => text),
    (given) => {
      order.push("text");
      return given;
    },
  );
  const other = scheduler.wait(0).then(() => order.push("other"));
  await Promise.all([laidOut, other]);
  expect(order.filter((what) => what === "text")).toHaveLength(6);
  expect(order.indexOf("other")).toBeLessThan(order.lastIndexOf("text"));
});
