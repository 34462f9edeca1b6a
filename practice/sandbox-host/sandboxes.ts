// The sandboxes of a host. A stopped sandbox leaves no process and no file. The checkout that a
// killed host left is used when its sandbox starts again, so that a power failure loses no work.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { deleteFolder } from "../../sandbox-program/archive/folder-removal.ts";
import { killMarked } from "../../sandbox-program/process/process-family.ts";
import type { NetworkInForce } from "../../src/network/rules/network.ts";
import type { Isolation } from "./isolation.ts";
import { type Outside, type SandboxProcess, startSandboxProcess } from "./sandbox-process.ts";

/** What the caller of a start gives the program. */
export interface StartedProgram {
  secret: string;
  env: Record<string, string>;
  network: NetworkInForce;
}

export interface Sandboxes {
  /** A running sandbox. */
  find(key: string): SandboxProcess | undefined;
  /** False if it is already running. */
  start(key: string, program: StartedProgram): Promise<boolean>;
  stop(key: string): Promise<void>;
  /** Stops it, and also deletes the checkout that an earlier host left. */
  discard(key: string): Promise<void>;
  stopAll(): Promise<void>;
}

export interface SandboxesOptions {
  programFile: string;
  isolation: Isolation;
  outside: Outside;
  /**
   * A folder on the same disk that gets the folders of stopped sandboxes. Otherwise they are
   * deleted.
   */
  stoppedFolder?: string | null;
}

/** Left-over folders are deleted after this time. */
const leftForMs = 7 * 24 * 60 * 60_000;

/**
 * Opens the folder of a host's sandboxes. Ends the processes of an earlier host, and preserves only
 * its finished checkouts.
 */
export async function createSandboxes(
  folder: string,
  { programFile, isolation, outside, stoppedFolder = null }: SandboxesOptions,
): Promise<Sandboxes> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) await clearLeft(join(root, name));

  const running = new Map<string, SandboxProcess>();
  /** Starts and stops in flight. Those of one sandbox run one after the other. */
  const changing = new Map<string, Promise<unknown>>();

  async function deleteSandbox(sandboxRoot: string): Promise<void> {
    await killMarked("HOME", join(sandboxRoot, "home"));
    if (stoppedFolder === null) return await deleteFolder(sandboxRoot);
    await mkdir(stoppedFolder, { recursive: true });
    await rename(sandboxRoot, join(stoppedFolder, `${basename(sandboxRoot)}-${randomUUID()}`)).catch(ignoreMissing);
  }

  function inOrder<Result>(key: string, change: () => Promise<Result>): Promise<Result> {
    const next = (changing.get(key) ?? Promise.resolve()).then(change, change);
    const settled = next.then(
      () => {},
      () => {},
    );
    changing.set(key, settled);
    void settled.then(() => changing.get(key) === settled && changing.delete(key));
    return next;
  }

  async function start(key: string, program: StartedProgram): Promise<boolean> {
    if (running.has(key)) return false;
    const sandboxRoot = join(root, key);
    try {
      const sandbox = await startSandboxProcess({ isolation, programFile, outside, root: sandboxRoot, ...program });
      running.set(key, sandbox);
      void sandbox.ended.then(() => inOrder(key, () => clear(key, sandbox)));
      return true;
    } catch (error) {
      await deleteSandbox(sandboxRoot);
      throw error;
    }
  }

  async function clear(key: string, sandbox: SandboxProcess): Promise<void> {
    if (running.get(key) !== sandbox) return;
    running.delete(key);
    await sandbox.end();
    await deleteSandbox(sandbox.root);
  }

  async function stop(key: string): Promise<void> {
    const sandbox = running.get(key);
    if (sandbox) await clear(key, sandbox);
  }

  return {
    find: (key) => running.get(key),
    start: (key, program) => inOrder(key, () => start(key, program)),
    stop: (key) => inOrder(key, () => stop(key)),
    discard: (key) =>
      inOrder(key, async () => {
        await stop(key);
        await deleteSandbox(join(root, key));
      }),
    async stopAll() {
      await Promise.all([...changing.values()]);
      await Promise.all([...running.keys()].map((key) => inOrder(key, () => stop(key))));
    },
  };
}

/**
 * Ends the processes of an earlier host in a sandbox's folder, and deletes the folder unless it may
 * contain work.
 */
async function clearLeft(sandboxRoot: string): Promise<void> {
  const { mtimeMs } = await stat(join(sandboxRoot, "state", "checkout.json")).catch(() => ({ mtimeMs: 0 }));
  await killMarked("HOME", join(sandboxRoot, "home"));
  if (Date.now() - mtimeMs > leftForMs) await deleteFolder(sandboxRoot);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
