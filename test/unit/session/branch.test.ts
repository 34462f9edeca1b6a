// Branches: the name of a session's own branch, and the names that git would read as something
// else.
import { describe, expect, it } from "vitest";
import { createBranchName, isBranchName } from "../../../src/session/rules/branch.ts";

describe("a branch name", () => {
  const id = "0199f3a2-7c1e-7b40-9d55-0c2f8e6a91b3";

  it.each([
    ["is svc/, the slug of the title and 6 of the id", "Fix the board!", "svc/fix-the-board-6a91b3"],
    ["drops accents and keeps the letters", "Über Größe: naïve café", "svc/uber-gro-e-naive-cafe-6a91b3"],
    ["has no slash, dot or tilde of the title", "../a/b.lock~1 @{x}", "svc/a-b-lock-1-x-6a91b3"],
    ["has a slug even when the title has no Latin letter", "修正", "svc/session-6a91b3"],
    ["is of bounded length", "x".repeat(500), `svc/${"x".repeat(40)}-6a91b3`],
    ["does not end its slug on a dash", `${"x".repeat(39)} y`, `svc/${"x".repeat(39)}-6a91b3`],
  ])("%s", (_, title, branch) => {
    expect(createBranchName(title, id)).toBe(branch);
  });

  it("differs between sessions of one title", () => {
    expect(createBranchName("Fix", id)).not.toBe(createBranchName("Fix", id.replace(/b3$/, "b4")));
  });
});

describe("a name", () => {
  it.each(["main", "release/1.0", "feature/#12", "fix_it", "user@work", "größe", "a-b.c"])(
    "%s is a valid branch name",
    (name) => {
      expect(isBranchName(name)).toBe(true);
    },
  );

  it.each([
    ["nothing", ""],
    ["an option", "--upload-pack=touch"],
    ["a range", "main..other"],
    ["a refspec", "main:other"],
    ["a forced refspec with a pattern", "refs/*"],
    ["an earlier state", "main@{1}"],
    ["the short form of HEAD", "@"],
    ["an ancestor", "main~1"],
    ["a space", "two words"],
    ["a line break", "main\nother"],
    ["a path that leads up", "../main"],
    ["a hidden part", "a/.b"],
    ["a lock", "main.lock"],
    ["an end in a slash", "main/"],
    ["a double slash", "a//b"],
    ["an end in a dot", "main."],
    ["half a character", "main\ud800"],
  ])("that is or has %s is not a valid branch name", (_, name) => {
    expect(isBranchName(name)).toBe(false);
  });
});
