// The standby of a process family: a command that it becomes is the same as one that was started,
// and nothing behind the wall reaches it before.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findWall, noIsolation } from "../../../practice/sandbox-host/isolation.ts";
import { createFolders, type Folders } from "../../../sandbox-program/folders.ts";
import { runCommand } from "../../../sandbox-program/process/command.ts";
import { formatOrder } from "../../../sandbox-program/process/entry.ts";
import type { ProcessFamily } from "../../../sandbox-program/process/process-family.ts";
import { spawnMember } from "../../../sandbox-program/process/spawn-member.ts";
import { getWall, setWall, type Wall } from "../../../sandbox-program/process/wall.ts";
import { claimFamily, createFamily, prepareFamily } from "../../../sandbox-program/turn/next-family.ts";
import { until } from "../../support/until.ts";

const found = await findWall(noIsolation);
const standing: Wall[] = [
  ...(found === "none" ? [] : [found]),
  ...(process.getuid?.() === 0 ? (["users"] as const) : []),
];

const env = {
  PATH: process.env.PATH ?? "",
  QUOTED: `it's "so" $HOME \`id\` \\n\nnext É쁁\u0081`,
  UID: "5",
  IFS: ",",
  OLDPWD: "/before",
  "no.name": "1",
};
/** What a process is to the kernel, what it was given, and how it ends. */
const describesItself = `
  grep -E "^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|Sig[BIC])" /proc/self/status; readlink /proc/self/ns/*
  cat /proc/self/oom_score_adj; umask; ulimit -a; pwd; readlink /proc/$$/fd/0; ls /proc/$$/fd
  printf '<%s>' "$@"; env -0 | sort -z | tr '\\0' '\\n'; echo told >&2; exit 7`;
const words = ["two words", "it's", "", "a\nb", "*", "-n", "$(id)", "é\u0088"];

/** The programs of this process that wait for an order. */
function standbys(): number[] {
  return readdirSync("/proc")
    .filter((id) => /^\d+$/.test(id))
    .map(Number)
    .filter((id) => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, "latin1");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return parent === process.pid && readFileSync(`/proc/${id}/cmdline`, "latin1").includes("\0standby\0");
      } catch {
        return false;
      }
    });
}

async function waitForEnd(child: ChildProcess): Promise<{ output: string; errors: string; exitCode: number | null }> {
  if (!child.stdout || !child.stderr) throw new Error("The command has no streams.");
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { output, errors, exitCode: await exit };
}

describe.each(standing)("behind the wall of %s", (wall) => {
  let folders: Folders;
  let family: ProcessFamily;
  beforeAll(async () => {
    const root = await mkdtemp(join(tmpdir(), "standby-"));
    await chmod(root, 0o755);
    folders = createFolders(root);
  });
  afterAll(() => rm(folders.root, { recursive: true, force: true }));
  beforeEach(() => {
    family = behind(() => createFamily(folders));
  });
  afterEach(() => family.close());

  /** Code that creates a family runs behind this wall. */
  function behind<Made>(make: () => Made): Made {
    const before = getWall();
    setWall(wall);
    try {
      return make();
    } finally {
      setWall(before);
    }
  }

  const command = (script: string, ...args: string[]) => ({
    argv: ["/bin/bash", "-c", script, "shell", ...args],
    cwd: "/usr",
    env,
  });
  async function started(script: string, ...args: string[]) {
    await family.open();
    return await waitForEnd(spawnMember(family, command(script, ...args), { stdio: ["ignore", "pipe", "pipe"] }));
  }
  async function become(script: string, ...args: string[]) {
    family.prepare();
    return await waitForEnd(await until("a standby", () => family.become(command(script, ...args))));
  }

  test("a command that a standby becomes has the rights, the limits, the variables and the end of one that is started", async () => {
    const wanted = await started(describesItself, ...words);
    expect(wanted).toMatchObject({ exitCode: 7, errors: "told\n" });
    expect(wanted.output).toContain("NoNewPrivs:\t1");
    expect(wanted.output).toContain(words.map((word) => `<${word}>`).join(""));
    expect(wanted.output).toContain(`QUOTED=${env.QUOTED}\n`);
    expect(await become(describesItself, ...words)).toEqual(wanted);
    expect(await become("kill -KILL $$")).toEqual(await started("kill -KILL $$"));
  });

  test("a standby can be neither read, nor traced, nor written to from behind the wall", async () => {
    // The first that is attacked is the attacker itself, which shows that the attacks work.
    const attack = `
      attack() {
        for file in environ maps mem; do (: < /proc/$1/$file) && echo "$file of $2"; done
        readlink /proc/$1/exe /proc/$1/cwd > /dev/null && echo "links of $2"
        readlink /proc/$1/fd/0 > /dev/null && echo "input of $2"
        (echo "echo forged; exit" > /proc/$1/fd/0) && echo "written to $2"
      } 2> /dev/null
      attack $$ itself
      for try in {1..400}; do
        for id in $(cd /proc && echo [0-9]*); do
          tr '\\0' ' ' < /proc/$id/cmdline | grep -q '^/bin/sh .* standby ' || continue
          attack $id standby; echo found; exit
        done 2> /dev/null
        sleep 0.05
      done`;
    family.prepare();
    await until("the standby", () => standbys().length === 1);
    const { output } = await started(attack);
    const itself = ["environ", "maps", "mem", "links", "input"].map((what) => `${what} of itself\n`);
    expect(output).toBe(`${itself.join("")}written to itself\nfound\n`);
    expect((await become("echo genuine")).output).toBe("genuine\n");
  });

  test("a killed standby is replaced by a start of the command", async () => {
    family.prepare();
    const [id = 0] = await until("the standby", () => (standbys().length === 1 ? standbys() : null));
    process.kill(-id, "SIGKILL");
    await until("its end", () => standbys().length === 0);
    const lines: string[] = [];
    const [file = "", ...args] = command("echo started").argv;
    const onOutput = (chunk: Buffer) => lines.push(chunk.toString());
    await until("a command", async () => {
      const end = await runCommand({ file, args, cwd: "/", env, family, onOutput });
      return end.exitCode === 0;
    });
    expect(lines).toEqual(["started\n"]);
  });

  test("a closed family leaves no standby, and starts none", async () => {
    family.prepare();
    await until("the standby", () => standbys().length === 1);
    await family.close();
    expect(standbys()).toEqual([]);
    expect(family.become(command("echo late"))).toBeNull();
    family.prepare();
    await expect(family.open()).rejects.toThrow("Nothing more is started here.");
  });

  test("a turn takes the family that was prepared for it, with shells for its first commands; no other turn does", async () => {
    const before = getWall();
    // The family is made a moment later.
    setWall(wall);
    try {
      prepareFamily(folders);
      await until("a prepared family", () => standbys().length > 0);
      const taken = claimFamily(folders);
      expect(taken.isPrepared()).toBe(true);
      for (const number of [1, 2, 3]) {
        const child = await until("a shell", () => taken.become(command(`exit ${number}`)));
        expect((await waitForEnd(child)).exitCode).toBe(number);
      }
      expect(claimFamily(folders)).not.toBe(taken);
      await taken.close();
    } finally {
      setWall(before);
    }
  });

  test("a command with a NUL is refused as ever, and a long one is started", async () => {
    family.prepare();
    await until("the standby", () => standbys().length === 1);
    expect(family.become(command("echo \0"))).toBeNull();
    expect(family.become(command("true", "x".repeat(40_000)))).toBeNull();
    expect((await become("echo short")).output).toBe("short\n");
  });
});

test("a text is one word of an order, whatever it contains", () => {
  const order = formatOrder({ argv: ["echo", "a'; id; '"], cwd: "/a b", env: { A: "'", "B;id": "1" } });
  expect(order).toContain("exec 'echo' 'a'\\''; id; '\\''' < /dev/null\n");
  expect(order).toContain("cd -- '/a b' &&");
  expect(order).toContain("command export A=''\\'''; true;");
});
