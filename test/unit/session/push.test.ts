// Which pushes to a session's branch must prove that no commits of others are lost.
import { describe, expect, test } from "vitest";
import {
  type BranchHeads,
  findCommitsToKeep,
  getHeadsAfter,
  isNoCommit,
  isOwnHead,
  noHeads,
  recordAttempt,
} from "../../../src/session/rules/branch.ts";

const none = "0".repeat(40);
const pushed = (...moves: [string, string][]) =>
  moves.reduce<BranchHeads>((heads, [oldId, newId]) => getHeadsAfter(heads, { oldId, newId }), noHeads);

test.each<[string, BranchHeads, string, string[] | null]>([
  ["a branch that is not there yet has nothing to keep", noHeads, none, null],
  ["a branch that the session never pushed is kept", noHeads, "theirs", ["theirs"]],
  ["what the session pushed itself, it may rewrite", pushed([none, "a"]), "a", null],
  ["and every earlier state of it, should it be there again", pushed([none, "a"], ["a", "b"]), "a", null],
  ["a commit that others put on top is kept", pushed([none, "a"]), "theirs", ["theirs"]],
  [
    "what the session built on a commit of others, it may rewrite as far as that commit",
    pushed([none, "a"], ["theirs", "b"]),
    "b",
    ["b", "theirs"],
  ],
  [
    "that holds for later pushes too",
    pushed([none, "a"], ["theirs", "b"], ["b", "c"], ["c", "d"]),
    "d",
    ["d", "theirs"],
  ],
  ["a branch that was deleted and made anew holds nothing of others", pushed(["theirs", "b"], [none, "c"]), "c", null],
  ["a push that moves nothing makes nothing one's own", pushed(["theirs", "theirs"]), "theirs", ["theirs"]],
])("%s", (_, heads, oldId, kept) => {
  expect(findCommitsToKeep(heads, { oldId, newId: "new" })).toEqual(kept);
});

describe("a push whose report was lost", () => {
  const attempted = (...moves: [string, string][]) =>
    moves.reduce<BranchHeads>((heads, [oldId, newId]) => recordAttempt(heads, { oldId, newId }), noHeads);

  test("is of the session, but lets no later push drop the commit, which others may have set", () => {
    const heads = attempted([none, "a"]);
    expect([isOwnHead(heads, "a"), isOwnHead(heads, "b"), heads.own]).toEqual([true, false, []]);
    expect(findCommitsToKeep(heads, { oldId: "a", newId: "b" })).toEqual(["a"]);
  });

  test("is as any other once it is reported, and nothing if it moves nothing", () => {
    const reported = getHeadsAfter(attempted([none, "a"]), { oldId: none, newId: "a" });
    expect(reported).toEqual({ own: ["a"], others: null, attempts: [] });
    expect(attempted(["theirs", "theirs"])).toEqual(noHeads);
  });

  test("is one of few that are stored", () => {
    const moves = Array.from({ length: 50 }, (_, index): [string, string] => [none, `${index}`]);
    const { attempts } = attempted(...moves);
    expect([attempts.length, attempts[0]]).toEqual([10, "49"]);
  });
});

test("an id of zeros is no commit, in both lengths", () => {
  expect([none, "0".repeat(64), `${"0".repeat(39)}1`].map(isNoCommit)).toEqual([true, true, false]);
});

test("the known commits stay few, however often the session pushes", () => {
  const moves = Array.from({ length: 500 }, (_, index): [string, string] => [`${index}`, `${index + 1}`]);
  const { own } = pushed([none, "0"], ...moves);
  expect([own.length, own[0]]).toEqual([50, "500"]);
});
