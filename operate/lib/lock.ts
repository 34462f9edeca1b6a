// Allows one deployment at a time in a checkout. Two would write the same files, and each would
// draw keys that the other does not know.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stop } from "./exit.ts";

/** The folder of a running deployment's temporary files; git ignores it. */
const getLockFolder = (root: string) => join(root, ".deploying");

/**
 * Runs a deployment with its own folder. The folder is deleted with its contents however the
 * deployment ends: normally, by Ctrl-C, or, if it was killed, by a later deployment. Throws `Stop`
 * while another one runs here.
 */
export async function withDeploymentLock(root: string, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = getLockFolder(root);
  const owner = join(folder, "process");
  const other = readOwner(owner);
  if (other !== null && isAlive(other))
    throw new Stop(
      `Another deployment runs in this folder, as process ${other}. Wait for it, or end it. If that process is not a deployment, delete .deploying.`,
    );
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    throw new Stop("Another deployment has just started in this folder. Wait for it.");
  }
  writeFileSync(owner, String(process.pid));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  const end = () => process.exit(1);
  process.once("exit", clean);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  try {
    await run(folder);
  } finally {
    clean();
    process.off("exit", clean);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, end);
  }
}

function readOwner(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8")) || null;
  } catch {
    return null;
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
