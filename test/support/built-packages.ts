// Builds the packages of clients before their tests, which import them as their users do.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");

export default async function setup(): Promise<void> {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  for (const name of ["client", "cli"])
    await promisify(execFile)(process.execPath, [`packages/${name}/build.ts`], {
      cwd: root,
      env: { PATH, HOME, TMPDIR },
    });
}
