// What the caller of the program sees of an error.
import { expect, test } from "vitest";
import { createRefusal, toRefusal } from "../../../sandbox-program/http/refusal.ts";

test.each<[string, Error, string]>([
  ["a refusal, which says why", createRefusal("GIT_REFUSED", "The branch is gone."), "The branch is gone."],
  [
    "a full disk",
    Object.assign(new Error("write"), { code: "ENOSPC" }),
    "The sandbox's disk is full. Delete what it does not need, and try again.",
  ],
  [
    "a bug, whose words stay inside",
    new Error("undefined is no function"),
    "The sandbox program met an unexpected error.",
  ],
])("%s", (_, error, message) => {
  expect(toRefusal(error).message).toBe(message);
});
