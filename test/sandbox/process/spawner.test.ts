// The spawner: commands that a waiting shell starts behind the wall do what commands do that are started otherwise.
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findWall, noIsolation } from "../../../dev/sandbox-host/isolation.ts";
import type { Folders } from "../../../sandbox/folders.ts";
import { runCommand } from "../../../sandbox/process/command.ts";
import { createProcessFamily, type ProcessFamily } from "../../../sandbox/process/process-family.ts";
import { prepareEnclosure, takeEnclosure } from "../../../sandbox/process/ready-enclosure.ts";
import { createSpawner, type Spawner } from "../../../sandbox/process/spawner.ts";
import { raiseWall, type Wall } from "../../../sandbox/process/wall.ts";
import { until } from "../../support/until.ts";

/** In a user namespace every command is started by the program. The wall of users is an image's, and is shown there. */
const standing: Wall[] = (await findWall(noIsolation)) === "namespaces" ? ["namespaces"] : [];

const env = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  LINES_OF: "one\ntwo 'three' \"four\" \\five $SIX `seven` \\n",
  NAME_WITH_É: "is no name of a shell",
  ACCENTS: "é ü 漢字 🚃",
  EMPTY: "",
};

describe.each(standing)("behind the wall of %s", (wall) => {
  let root: string;
  let folders: Folders;
  let family: ProcessFamily;
  let spawner: Spawner;

  beforeAll(async () => {
    raiseWall(wall);
    root = await mkdtemp(join(tmpdir(), "spawner-test-"));
    const names = ["state", "home", "tmp", "project", "shared"] as const;
    folders = { root, ...Object.fromEntries(names.map((name) => [name, join(root, name)])) } as unknown as Folders;
    for (const folder of names.map((name) => join(root, name))) await mkdir(folder);
    await chmod(root, 0o755);
  });
  afterAll(async () => {
    raiseWall("none");
    await rm(root, { recursive: true, force: true });
  });
  beforeEach(() => {
    family = createProcessFamily(folders, "SWITCHYARD_TURN");
    spawner = createSpawner(family, { cwd: folders.project, env }, null);
  });
  afterEach(() => family.close());

  /** Runs a command, by the spawner or otherwise. */
  async function run(command: string, by: Spawner | undefined, more: { timeoutMs?: number } = {}) {
    let [stdout, stderr] = ["", ""];
    const end = await runCommand({
      ...{ file: "/bin/bash", args: ["-c", command], cwd: folders.project, env, family, spawner: by, ...more },
      onOutput: (chunk, stream) => {
        if (stream === "stdout") stdout += chunk;
        else stderr += chunk;
      },
    });
    return { ...end, stdout, stderr };
  }

  /** Waits for a shell, and runs the command by it. */
  async function spawned(command: string, more: { timeoutMs?: number } = {}) {
    let taken = 0;
    const counting: Spawner = {
      ...spawner,
      run(argv) {
        const running = spawner.run(argv);
        if (running) taken += 1;
        return running;
      },
    };
    spawner.prepare();
    await until("a shell to wait", spawner.isReady);
    const end = await run(command, counting, more);
    expect(taken).toBe(1);
    return end;
  }

  test.each([
    ["prints on both streams", "echo out; echo err >&2"],
    ["ends with a status", "exit 7"],
    ["is killed by a signal of its own", "kill -KILL $$"],
    ["is not there", "no-such-command"],
    ["reads its input, which is empty", "cat; echo read"],
    ["has quotes and lines", `echo "it's \\"quoted\\"" 'and $kept' && printf '%s\n' "two\nlines" '\\n'`],
    ["shows its variables", "env | sort"],
    ["shows its folder", "pwd; ls"],
    ["shows its open files", "ls /proc/self/fd"],
    ["shows how it takes signals", "grep ^Sig[IC] /proc/self/status"],
    ["shows its rights", "grep -E '^(Cap|NoNewPrivs|Groups|Uid|Gid)' /proc/self/status; cat /proc/self/oom_score_adj"],
  ])("a command that %s does the same as one that is started otherwise", async (_, command) => {
    const otherwise = await run(command, undefined);
    expect(await spawned(command)).toEqual(otherwise);
  });

  test("commands go on when the folder was removed and made again, and more of them than one shell starts", async () => {
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await rm(folders.project, { recursive: true });
      await mkdir(folders.project);
      expect(await spawned(`touch made && ls && echo ${number}`)).toMatchObject({ stdout: `made\n${number}\n` });
    }
  });

  test("a command is stopped at its timeout, with what it started", async () => {
    const stopped = await spawned("sleep 7005 & sleep 7005", { timeoutMs: 300 });
    expect(stopped).toMatchObject({ exitCode: 137, stopped: "timeout" });
    expect(await run("ps ax -o args | grep -c '[s]leep 7005'; true", undefined)).toMatchObject({ stdout: "0\n" });
  });

  test("a command whose parent is killed ends, and so does one whose shell is killed", async () => {
    expect(await spawned("kill -KILL $PPID; sleep 7006")).toMatchObject({ exitCode: 137 });
    expect(await spawned("kill -KILL -1; sleep 7006")).toMatchObject({ exitCode: 137 });
    expect(await run("echo again", spawner)).toMatchObject({ exitCode: 0, stdout: "again\n" });
  });

  test("what a command leaves in the background holds up neither it nor the next ones", async () => {
    expect(await spawned("sleep 7007 & echo left")).toMatchObject({ exitCode: 0, stdout: "left\n" });
    expect(await spawned("echo next")).toMatchObject({ exitCode: 0, stdout: "next\n" });
    await family.close();
    await expect(run("echo closed", spawner)).rejects.toThrow("Nothing is started here any more.");
  });

  test("a command that is too long for a waiting shell is started otherwise", async () => {
    spawner.prepare();
    await until("a shell to wait", spawner.isReady);
    const long = `echo ${"x".repeat(20_000)} | wc -c`;
    expect(await run(long, spawner)).toMatchObject({ exitCode: 0, stdout: "20001\n" });
  });

  test("the enclosure that was opened ahead is taken once, and starts commands at once", async () => {
    prepareEnclosure(folders);
    let opened = takeEnclosure();
    await until("an enclosure to be ready", async () => {
      opened ??= takeEnclosure();
      return opened !== null;
    });
    expect(takeEnclosure()).toBeNull();
    const own = createProcessFamily(folders, "SWITCHYARD_TURN", opened?.enclosure);
    const ready = createSpawner(own, { cwd: folders.project, env }, opened?.shell ?? null);
    const running = ready.run(["/bin/bash", "-c", 'test "$EMPTY" = "" && exit 5']);
    expect(await running?.ended).toBe(5);
    await own.close();
    await until("the shell to end with its family", () => opened?.shell.canRun() === false);
  });
});
