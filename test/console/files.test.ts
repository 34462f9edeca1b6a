// The rules of Files: rows of the tree, open folders, the filter, and drafts that wait for a turn.
import { SwitchyardError } from "@switchyard/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FileDraft, listWaitingPaths, saveWaiting } from "../../console/src/files/draft.ts";
import { isBinaryText, listFolders, listRows } from "../../console/src/files/tree.ts";

const file = (path: string) => ({ name: path.split("/").at(-1) ?? "", path, type: "file" as const });
const tree = [
  file("README.md"),
  {
    name: "src",
    path: "src",
    type: "directory" as const,
    children: [
      file("src/file-10.js"),
      file("src/file-9.js"),
      { name: "ui", path: "src/ui", type: "directory" as const, children: [file("src/ui/button.tsx")] },
    ],
  },
];
const rows = (opened: string[], filter: string) => listRows(tree, new Set(opened), filter).map(({ path }) => path);

describe("the rows of a tree", () => {
  test.each([
    [[], "", ["src", "README.md"]],
    [["src"], "", ["src", "src/ui", "src/file-9.js", "src/file-10.js", "README.md"]],
    [["src/ui"], "", ["src", "README.md"]],
    [[], "button", ["src", "src/ui", "src/ui/button.tsx"]],
    [[], "SRC 10", ["src", "src/file-10.js"]],
    [[], "nothing", []],
  ])("with %j open and the filter %j", (opened, filter, paths) => {
    expect(rows(opened, filter)).toEqual(paths);
  });
});

test("the folders above a file are named from the outermost", () => {
  expect(listFolders("src/ui/button.tsx")).toEqual(["src", "src/ui"]);
  expect(listFolders("README.md")).toEqual([]);
});

test("a file with a zero is no text", () => {
  expect(isBinaryText("\u0089PNG\0")).toBe(true);
  expect(isBinaryText("قطار")).toBe(false);
});

describe("a draft that waits for the end of a turn", () => {
  const waiting: FileDraft = { text: "mine", base: "old", baseHash: "h1", isWaiting: true };
  const refuse = (code: "FILE_CHANGED" | "JOB_ACTIVE") =>
    Promise.reject(
      new SwitchyardError("No.", {
        ...{ status: 409, failure: { code, details: undefined }, requestId: null },
        ...{ retryAfterMs: null, operation: "PUT /x" },
      }),
    );
  const keep = (path: string, draft: FileDraft) => localStorage.setItem(`file-draft:${path}`, JSON.stringify(draft));
  const read = (path: string) => JSON.parse(localStorage.getItem(`file-draft:${path}`) ?? "null");

  beforeEach(() => {
    const methods = {
      getItem(this: Record<string, string>, key: string) {
        return this[key] ?? null;
      },
      setItem(this: Record<string, string>, key: string, value: string) {
        this[key] = value;
      },
      removeItem(this: Record<string, string>, key: string) {
        delete this[key];
      },
    };
    vi.stubGlobal("localStorage", Object.create(methods));
    keep("s1:src/a.js", waiting);
  });
  afterEach(() => vi.unstubAllGlobals());

  test("is listed with those of its session", () => {
    keep("s1:b.js", { ...waiting, isWaiting: false });
    keep("s2:c.js", waiting);
    keep("s1:d.js", waiting);
    expect(listWaitingPaths("s1")).toEqual(["src/a.js", "d.js"]);
  });

  test("is saved once, by one of two windows, over what it began from only", async () => {
    const save = vi.fn(async (_text: string, _baseHash: string) => ({ hash: "h2" }));
    await Promise.all([saveWaiting("s1", "src/a.js", save), saveWaiting("s1", "src/a.js", save)]);
    expect(save.mock.calls).toEqual([["mine", "h1"]]);
    expect(read("s1:src/a.js")).toBeNull();
    expect(listWaitingPaths("s1")).toEqual([]);
  });

  test("keeps what is typed while it is saved", async () => {
    const typed = { ...waiting, text: "mine, and more", isWaiting: false };
    await saveWaiting("s1", "src/a.js", async () => {
      keep("s1:src/a.js", typed);
      return { hash: "h2" };
    });
    expect(read("s1:src/a.js")).toEqual({ ...typed, base: "mine", baseHash: "h2" });
  });

  test.each([
    ["FILE_CHANGED", false],
    ["JOB_ACTIVE", true],
  ] as const)("stays when it is refused with %s, and waits then: %s", async (code, isWaiting) => {
    await saveWaiting("s1", "src/a.js", () => refuse(code));
    expect(read("s1:src/a.js")).toEqual({ ...waiting, isWaiting });
  });

  test("is not saved without the hash of what it replaces", async () => {
    const { baseHash: _, ...early } = waiting;
    keep("s1:src/a.js", early);
    const save = vi.fn(() => refuse("JOB_ACTIVE"));
    await saveWaiting("s1", "src/a.js", save);
    expect(save).not.toHaveBeenCalled();
    expect(read("s1:src/a.js")).toEqual({ ...early, isWaiting: false });
  });
});
