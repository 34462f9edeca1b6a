// The project's own instructions for agents, which the program reads and the model receives.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProjectInstructions } from "../../../sandbox-program/agent/pi/resources.ts";

let root: string;
let project: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "instructions-"));
  project = join(root, "project");
  mkdirSync(project);
  writeFileSync(join(root, "private"), "the program's own");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("are those of a file, or of the project file that a symbolic link points to", () => {
  writeFileSync(join(project, "CLAUDE.md"), "Be brief.");
  expect(readProjectInstructions(project)).toEqual([{ path: "CLAUDE.md", content: "Be brief." }]);
  symlinkSync("CLAUDE.md", join(project, "AGENTS.md"));
  expect(readProjectInstructions(project)).toEqual([{ path: "AGENTS.md", content: "Be brief." }]);
});

test("are none if a link points out of the project or not to a file", () => {
  symlinkSync("../private", join(project, "AGENTS.md"));
  symlinkSync("/proc/self/environ", join(project, "CLAUDE.md"));
  expect(readProjectInstructions(project)).toEqual([]);
  rmSync(join(project, "AGENTS.md"));
  mkdirSync(join(project, "AGENTS.md"));
  expect(readProjectInstructions(project)).toEqual([]);
});
