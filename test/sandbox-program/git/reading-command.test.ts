// The git commands of an agent that only reads: what is permitted, and that nothing else is.
import { describe, expect, test } from "vitest";
import { parseReadingArguments } from "../../../sandbox-program/git/reading-command.ts";
import { toRefusal } from "../../../sandbox-program/http/refusal.ts";

const findCode = (words: string[]) => {
  try {
    parseReadingArguments(words);
    return "permitted";
  } catch (error) {
    return toRefusal(error).code;
  }
};

describe("is permitted", () => {
  test.each([
    ["log", "--oneline", "-n20", "-5", "--since=1.week", "main..HEAD", "--", "src"],
    ["log", "-p", "-U3", "-SneedleText", "--format=%h %s", "--all", "--follow", "README.md"],
    ["log", "-L1,20:src/app.ts"],
    ["show", "HEAD:src/app.ts"],
    ["show", "--stat", "HEAD~2", ":/fix"],
    ["diff", "main...HEAD", "--name-only", "--", "src"],
    ["diff", "--cached", "--word-diff"],
    ["blame", "-L1,5", "-w", "HEAD", "--", "src/app.ts"],
    ["status", "--porcelain=v2", "-b", "-uno"],
    ["branch", "-a", "-vv", "--contains=HEAD"],
    ["branch", "feature/*"],
    ["ls-files", "--others", "--exclude-standard", "src"],
    ["grep", "-n", "/api/projects", "--", "src"],
    ["grep", "-n", "-e", "../up", "-e/down", "--and", "HEAD"],
  ])("%s %s %s", (...words) => expect(findCode(words)).toBe("permitted"));
});

describe("is refused, because it writes", () => {
  test.each([
    ["commit", "-m", "x"],
    ["add", "."],
    ["checkout", "main"],
    ["switch", "-c", "new"],
    ["reset", "--hard"],
    ["restore", "."],
    ["clean", "-fd"],
    ["stash"],
    ["merge", "main"],
    ["rebase", "main"],
    ["fetch"],
    ["pull"],
    ["push"],
    ["config", "user.name", "x"],
    ["gc"],
    ["update-index", "--refresh"],
    ["tag", "new"],
    ["worktree", "add", "x"],
    ["notes", "add"],
    ["branch", "-D", "main"],
    ["branch", "-d", "main"],
    ["branch", "-m", "other"],
    ["branch", "-f", "main", "HEAD~1"],
    ["branch", "--set-upstream-to=x"],
    ["branch", "--unset-upstream"],
    ["branch", "--edit-description"],
    ["log", "--output=out.txt"],
    ["diff", "--output", "out.txt"],
    ["show", "--outpu=out.txt"],
    [],
    [""],
    ["constructor"],
  ])("%s %s", (...words) => expect(findCode(words)).toBe("BAD_CALL"));
});

describe("is refused, because it runs a program or opens a pager", () => {
  test.each([
    ["-c", "core.pager=touch x", "log"],
    ["--paginate", "log"],
    ["-p", "log"],
    ["--exec-path=/tmp", "log"],
    ["-C", "/tmp", "log"],
    ["log", "-c"],
    ["log", "--ext-diff"],
    ["diff", "--ext-dif"],
    ["diff", "--textconv"],
    ["show", "--textconv"],
    ["blame", "--textconv", "README.md"],
    ["grep", "--textconv", "x"],
    ["grep", "-O", "x"],
    ["grep", "-Otouch", "x"],
    ["grep", "--open-files-in-pager=touch", "x"],
    ["grep", "-iO", "x"],
    ["log", "--show-signature"],
    ["diff", "--submodule=diff"],
    ["grep", "--recurse-submodules", "x"],
    ["bisect", "run", "sh"],
    ["difftool"],
    ["submodule", "foreach", "x"],
    ["show", "--help"],
    ["log", "--stdin"],
  ])("%s %s %s", (...words) => expect(findCode(words)).toBe("BAD_CALL"));
});

describe("is refused, because it reads outside the checkout", () => {
  test.each([
    [["diff", "/etc/passwd", "/etc/hosts"], "OUTSIDE_PROJECT"],
    [["diff", "--", "../state/secret", "README.md"], "OUTSIDE_PROJECT"],
    [["blame", "src/../../state/x"], "OUTSIDE_PROJECT"],
    [["grep", "root", "--", "/etc"], "OUTSIDE_PROJECT"],
    [["grep", "-e", "root", "/etc"], "OUTSIDE_PROJECT"],
    [["grep", "-e", "-e", "/etc/passwd"], "OUTSIDE_PROJECT"],
    [["grep", "-eroot", "-e", "--", "/etc/passwd"], "OUTSIDE_PROJECT"],
    [["grep", "root", "--", "-e", "/etc/passwd"], "OUTSIDE_PROJECT"],
    [["blame", "--", "-L../../etc/passwd"], "OUTSIDE_PROJECT"],
    [["ls-files", ".."], "OUTSIDE_PROJECT"],
    [["diff", "--no-index", "a", "b"], "BAD_CALL"],
    [["grep", "--no-index", "x"], "BAD_CALL"],
    [["grep", "-f", "/etc/passwd"], "BAD_CALL"],
    [["blame", "--contents", "x", "README.md"], "BAD_CALL"],
    [["blame", "--ignore-revs-file=x"], "BAD_CALL"],
    [["diff", "-Oorder"], "BAD_CALL"],
    [["ls-files", "-X", "x"], "BAD_CALL"],
    [["ls-files", "--exclude-from=x"], "BAD_CALL"],
    [["log", "a\0b"], "BAD_CALL"],
  ])("%j", (words, code) => expect(findCode(words)).toBe(code));
});

test("a branch is listed whatever word follows, and a diff runs no driver", () => {
  expect(parseReadingArguments(["branch", "new"])).toEqual(["branch", "--list", "new"]);
  expect(parseReadingArguments(["diff"])).toEqual(expect.arrayContaining(["--no-ext-diff", "--no-textconv"]));
});
