// The results of a run: its Reply, and the one line of it that lists show.
import { describe, expect, it } from "vitest";
import { getReply } from "../../../src/chat/rules/block.ts";
import { findSummary } from "../../../src/cron/rules/run.ts";

describe("the summary", () => {
  it.each<[string, string, string | null]>([
    ["the first line", "All is well.\nNothing was filed.", "All is well."],
    ["the first that is not empty", "\n \t\n  Two  \n", "Two"],
    ["200 characters of it", "x".repeat(500), "x".repeat(200)],
    ["no character is cut in half", "🌙".repeat(300), "🌙".repeat(200)],
    ["a line that ends with a carriage return", "One\r\nTwo", "One"],
    ["none of an empty Reply", " \n\n", null],
  ])("is %s", (_, reply, expected) => expect(findSummary(reply)).toBe(expected));
});

it("the Reply is the text after the last tool call", () => {
  expect(getReply([" One. ", "Two.\n"])).toBe("One. \n\nTwo.");
  expect(getReply(["One.", "", "Two."])).toBe("One.\n\nTwo.");
  expect(getReply([])).toBe("");
});
