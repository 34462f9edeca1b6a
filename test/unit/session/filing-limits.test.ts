import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { getFiledDepth } from "../../../src/session/rules/filing-limits.ts";

describe("a session that an agent files", () => {
  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])("from depth %i has depth %i", (filedDepth, depth) => {
    expect(getFiledDepth({ filedDepth }, 19)).toEqual({ filedDepth: depth });
  });

  it.each([
    ["by the agent of the third that agents have filed", 3, 0, "3 levels deep"],
    ["as the twenty-first of a turn", 0, 20, "20 sessions"],
  ])("is refused %s, with a message", (_, filedDepth, filedInTurn, words) => {
    const refusal = getFiledDepth({ filedDepth }, filedInTurn);
    expect(refusal).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining(words) });
    expect(isRefusal(refusal)).toBe(true);
  });
});
