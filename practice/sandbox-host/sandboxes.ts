// The sandboxes of a host. A stopped sandbox leaves no process. Only a pause leaves files. The
// checkout that a killed host left is used when its sandbox starts again, so that a power failure
// loses no work. A host that ends leaves unsaved work in the same way.
import { randomUUID } from "node:crypto";
import { lutimes, mkdir, readdir, rename, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { deleteFolder } from "../../sandbox-program/archive/folder-removal.ts";
import { killMarked } from "../../sandbox-program/process/process-family.ts";
import type { NetworkInForce } from "../../src/network/rules/network.ts";
import type { Isolation } from "./isolation.ts";
import { createKeptDisks, type KeptLimits, reportLeft } from "./kept-disks.ts";
import { getProgramBuild, type Outside, type SandboxProcess, startSandboxProcess } from "./sandbox-process.ts";

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
  /** Stops it, and keeps its disk for its next start, within limits. */
  keep(key: string): Promise<void>;
  /** Stops it, and also deletes a disk that was kept, or that an earlier host left. */
  discard(key: string): Promise<void>;
  /** Stops every sandbox. Leaves the disks of those whose work is `unsaved` for the next host. */
  stopAll(unsaved?: readonly string[]): Promise<void>;
}

export interface SandboxesOptions {
  /** The path of the built sandbox program. */
  programFile: string;
  isolation: Isolation;
  /** What a sandbox that is held to a network reaches. */
  outside: Outside;
  /**
   * A folder on the same disk that gets the folders of stopped sandboxes. Otherwise they are
   * deleted.
   */
  stoppedFolder?: string | null;
  /** The limits of the disks that pauses keep. By default, a pause keeps none. */
  keptLimits?: KeptLimits;
}

/** Left-over folders are deleted this long after their sandbox ran. */
const leftForMs = 7 * 24 * 60 * 60_000;
/** A host that is killed cannot note until when its sandboxes ran. */
const touchEveryMs = 60 * 60_000;

/**
 * Opens the folder of a host's sandboxes. Ends the processes of an earlier host, and preserves only
 * its finished checkouts and the disks that it kept.
 */
export async function createSandboxes(
  folder: string,
  { programFile, isolation, outside, stoppedFolder = null, keptLimits = { disks: 0, freeShare: 0 } }: SandboxesOptions,
): Promise<Sandboxes> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true });
  const kept = await createKeptDisks(root, getProgramBuild(programFile), keptLimits);
  for (const name of await readdir(root))
    if (!kept.has(name)) await clearLeft(join(root, name)).catch(reportLeft(name));

  const running = new Map<string, SandboxProcess>();
  const touching = setInterval(() => {
    for (const [key, sandbox] of running) void touchCheckout(sandbox.root).catch(reportUntouched(key));
  }, touchEveryMs).unref();
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
    const wasKept = await kept.release(key);
    // Only a host that was killed, or that ended with unsaved work, leaves another folder. It may
    // contain the only copy of that work.
    const mayHaveWork = !wasKept && (await readdir(root)).includes(key);
    await touchCheckout(sandboxRoot);
    try {
      const sandbox = await startSandboxProcess({ isolation, programFile, outside, root: sandboxRoot, ...program });
      running.set(key, sandbox);
      void sandbox.ended.then(() => inOrder(key, () => clear(key, sandbox))).catch(reportLeft(key));
      return true;
    } catch (error) {
      if (mayHaveWork) await killMarked("HOME", join(sandboxRoot, "home"));
      else await deleteSandbox(sandboxRoot);
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

  /** Ends a sandbox's processes, and leaves its disk. */
  async function end(key: string, sandbox: SandboxProcess): Promise<void> {
    running.delete(key);
    await sandbox.end();
    await killMarked("HOME", join(sandbox.root, "home"));
  }

  async function leave(key: string): Promise<void> {
    const sandbox = running.get(key);
    if (!sandbox) return;
    await end(key, sandbox);
    await touchCheckout(sandbox.root);
  }

  async function keep(key: string): Promise<void> {
    const sandbox = running.get(key);
    if (!sandbox || keptLimits.disks === 0) return await stop(key);
    await end(key, sandbox);
    await kept.keep(key);
  }

  async function deleteSurplus(): Promise<void> {
    for (let key = await kept.findSurplus(); key !== null; key = await kept.findSurplus()) {
      const surplus = key;
      await inOrder(surplus, async () => {
        if (await kept.release(surplus)) await deleteSandbox(join(root, surplus));
      });
    }
  }

  return {
    find: (key) => running.get(key),
    start: (key, program) => inOrder(key, () => start(key, program)),
    stop: (key) => inOrder(key, () => stop(key)),
    async keep(key) {
      await inOrder(key, () => keep(key));
      // Nobody waits for it, because a large disk takes seconds.
      void deleteSurplus().catch((error: unknown) =>
        console.error("sandbox host: a kept disk was not deleted:", error),
      );
    },
    discard: (key) =>
      inOrder(key, async () => {
        await stop(key);
        await kept.release(key);
        await deleteSandbox(join(root, key));
      }),
    async stopAll(unsaved = []) {
      clearInterval(touching);
      await Promise.all([...changing.values()]);
      const stopOrLeave = (key: string) => (unsaved.includes(key) ? leave(key) : stop(key));
      await Promise.all([...running.keys()].map((key) => inOrder(key, () => stopOrLeave(key))));
    },
  };
}

const getCheckoutRecord = (sandboxRoot: string): string => join(sandboxRoot, "state", "checkout.json");

/** Notes that a sandbox with a checkout runs, so that its age counts from now. */
async function touchCheckout(sandboxRoot: string): Promise<void> {
  const now = new Date();
  await lutimes(getCheckoutRecord(sandboxRoot), now, now).catch(ignoreMissing);
}

const reportUntouched = (key: string) => (error: unknown) =>
  console.error(`sandbox host: the age of the disk of ${key} was not noted:`, error);

/**
 * Ends the processes of an earlier host in a sandbox's folder, and deletes the folder unless it may
 * contain work.
 */
async function clearLeft(sandboxRoot: string): Promise<void> {
  const { mtimeMs } = await stat(getCheckoutRecord(sandboxRoot)).catch(() => ({ mtimeMs: 0 }));
  await killMarked("HOME", join(sandboxRoot, "home"));
  if (Date.now() - mtimeMs > leftForMs) await deleteFolder(sandboxRoot);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
