import { describe, expect, it } from "vitest";
import { getPatch, limitChanges, type SavedChanges } from "../../../src/checkout/rules/saved-changes.ts";

const part = (head: string, lines = "@@ -1 +1 @@\n-a\n+b\n") => `${head}\n${lines}`;
const modified = part("diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts");
const renamed =
  "diff --git a/old name.txt b/src/new name.txt\nsimilarity index 100%\nrename from old name.txt\nrename to src/new name.txt\n";
const empty = "diff --git a/empty b/empty\nnew file mode 100644\nindex 0..1\n";
const deleted = part("diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null");
const changed = {
  previousPath: null,
  status: "modified",
  additions: 1,
  deletions: 1,
  isBinary: false,
  committed: true,
} as const;
const kept: SavedChanges = {
  at: 5,
  base: "main",
  files: [{ path: "src/a.ts", ...changed }],
  commits: [{ sha: "1", message: "m", author: "a", committedAt: "" }],
  patch: modified + renamed + empty + deleted,
  isCut: false,
};

describe("saved changes", () => {
  it.each([
    ["src/a.ts", modified],
    ["src", modified + renamed],
    ["src/", modified + renamed],
    ["src/new name.txt", renamed],
    ["old name.txt", renamed],
    ["empty", empty],
    ["gone", deleted],
    ["src/a", ""],
    ["a.ts", ""],
    ["dev/null", ""],
  ])("has the part of the patch for %s", (path, patch) => {
    expect(getPatch(kept.patch, path)).toBe(patch);
  });

  it.each([
    ['we"ird.txt', 'we\\"ird.txt'],
    ["a\\b\ttab\nline", "a\\\\b\\ttab\\nline"],
    ["\\101", "\\\\101"],
    ["größe\u0001", "gr\\303\\266\\303\\237e\\001"],
  ])("has the part of a file whose name git writes in quotes: %j", (path, quoted) => {
    const [before, after] = [`"a/${quoted}"`, `"b/${quoted}"`];
    const lines = part(`diff --git ${before} ${after}\nindex 1..2 100644\n--- ${before}\n+++ ${after}`);
    const added = `diff --git ${before} ${after}\nnew file mode 100644\nindex 0..1\n`;
    const moved = `diff --git "a/old" ${after}\nsimilarity index 100%\nrename from old\nrename to "${quoted}"\n`;
    for (const one of [lines, added, moved]) expect(getPatch(modified + one + empty, path)).toBe(one);
  });

  it.each(["\r", "\u2028", "\u2029"])("is not divided by %j in a line that looks like the start of a file", (end) => {
    const whole = part(
      modified.slice(0, modified.indexOf("@@")).trimEnd(),
      `@@ -1 +1 @@\n-a\n+x${end}diff --git a/c b/c\n`,
    );
    expect(getPatch(whole + empty, "src/a.ts")).toBe(whole);
    expect(getPatch(whole + empty, "c")).toBe("");
  });
});

describe("the saved part of very large changes", () => {
  it("is whole when it is little", () => {
    expect(limitChanges(kept)).toEqual(kept);
  });

  it("is the first files and commits, and the first files of the patch", () => {
    const files = Array.from({ length: 50_000 }, (_, at) => ({ path: `file-${at}`, ...changed }));
    const commits = Array.from({ length: 5_000 }, () => ({
      sha: "1",
      message: "m".repeat(1_000),
      author: "a",
      committedAt: "",
    }));
    const bound = limitChanges({ ...kept, files, commits, patch: modified.repeat(20_000) });
    expect(JSON.stringify(bound).length).toBeLessThan(700_000);
    expect(bound.files.length).toBeGreaterThan(500);
    expect(bound.commits.length).toBeGreaterThan(100);
    expect(bound.isCut).toBe(true);
    expect(bound.patch.endsWith(modified)).toBe(true);
    expect(limitChanges({ ...kept, patch: `diff --git a/x b/x\n${"+\n".repeat(600_000)}` })).toMatchObject({
      patch: "",
      isCut: true,
    });
  });
});
