// Folders in each other whose path is longer than a path may be, as a command in a sandbox can make
// them.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

const script = `
  const { mkdirSync, writeFileSync } = require("node:fs");
  for (let depth = 0; depth < 25; depth += 1) {
    mkdirSync("d".repeat(200));
    process.chdir("d".repeat(200));
  }
  writeFileSync("end", "");
`;

/** Creates the folder with the others in it. */
export function createDeepFolders(folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ["-e", script], { cwd: folder });
}
