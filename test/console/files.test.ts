// The rules of Files: rows of the tree, open folders and the filter.
import { describe, expect, test } from "vitest";
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
