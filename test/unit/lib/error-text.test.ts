// The reason of a failure as a log contains it: without values of a statement, for an error of this
// process or of an object.
import { DrizzleQueryError } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { getErrorMessage, getStackTrace } from "../../../src/lib/error-text.ts";

const canary = "canary@example.com";
const cause = new Error("D1_ERROR: no such table: share_links");
const failed = (words: Error | undefined) =>
  new DrizzleQueryError("select 1 from share_links where slug = ?", [canary, `\n    at ${canary}`], words);
/** What remains of an error that comes from an object. */
const travelled = new Error(failed(cause).message);

const cases: [title: string, error: unknown, reason: string][] = [
  ["an error of our own", new Error("it broke"), "it broke"],
  ["no error at all", "it broke", "it broke"],
  ["a statement", failed(cause), "D1_ERROR: no such table: share_links"],
  ["a statement without a cause", failed(undefined), "a statement failed"],
  ["a statement in a statement", failed(failed(cause)), "D1_ERROR: no such table: share_links"],
  ["a statement of an object", travelled, "a statement failed"],
  ["an error that a statement caused", new Error("not kept", { cause: failed(cause) }), "not kept"],
];

describe("the reason", () => {
  it.each(cases)("of %s", (_, error, reason) => {
    expect(getErrorMessage(error)).toBe(reason);
    expect(getStackTrace(error)).toContain(reason);
    expect(getStackTrace(error)).not.toContain(canary);
  });

  it("is cut if it is long", () => {
    const long = new Error("x".repeat(1_000_000));
    expect(getErrorMessage(long)).toMatch(/^x{2000}…$/);
    expect(getErrorMessage(long.message)).toMatch(/^x{2000}…$/);
    expect(getStackTrace(long).length).toBeLessThan(9_000);
  });

  it("includes the stack on request", () => {
    expect(getStackTrace(cause)).toContain("error-text.test.ts");
    expect(getStackTrace(failed(cause))).toContain("error-text.test.ts");
  });
});
