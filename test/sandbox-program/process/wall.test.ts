// The wall as an attacker meets it: from a turn's shell, a service, a filter of the checkout's git.
// On a machine without walls the test says so.
import { spawnSync } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWall, formatWall, noIsolation } from "../../../practice/sandbox-host/isolation.ts";
import type { Wall } from "../../../sandbox-program/process/wall.ts";
import { until } from "../../support/until.ts";
import { nodeFile, secret, startProgram } from "../support/program.ts";
import { restoreWork, saveWork } from "../support/saved-work.ts";
import { openServices, web } from "../support/services.ts";
import { getOutput, listBlocks } from "../support/transcript.ts";
import { profile, startWorld, type World } from "../support/world.ts";

const found = await findWall(noIsolation);
/**
 * The walls that this machine allows. The wall of users is an image's, and exists wherever the test
 * is root.
 */
const standing: Wall[] = [...(found === "none" ? [] : [found]), ...(hasUsers() ? (["users"] as const) : [])];

/** Whether the program can become other users here. */
function hasUsers(): boolean {
  const asAgent = ["--reuid=1000", "--regid=20000", "--clear-groups", "--", "true"];
  return process.getuid?.() === 0 && spawnSync("setpriv", asAgent).status === 0;
}

/** The owner and the mode of the program's part. */
const getOwnerOfState = (wall: Wall) => (wall === "users" ? [990, 0o40770] : [process.getuid?.(), 0o40700]);

test("the wall of namespaces works if this machine allows it, and its absence is reported", () => {
  expect(["namespaces", "user-namespaces", "none"]).toContain(found);
  expect(formatWall("none")).toContain("can read the sandbox program's memory and the tokens of later turns");
  expect(formatWall(found)).not.toContain("\n");
});

let tools: string;
let world: World;
let services: Awaited<ReturnType<typeof openServices>>;
const root = (...path: string[]) => join(world.program.root, ...path);
async function bash(...commands: string[]): Promise<string> {
  const { service } = await world.runTurn([...commands.map((command) => ({ bash: command })), { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  return getOutput(service.received);
}

/** Nine daemons, each in a way of its own, and one that takes its group's number with it. */
const daemons = [
  "sleep 6001 &",
  "nohup sleep 6002 > /dev/null 2>&1 &",
  "setsid sleep 6003 > /dev/null 2>&1 &",
  "env -i setsid $(command -v sleep) 6004 > /dev/null 2>&1 &",
  "(setsid sh -c 'sleep 6005 & exit' > /dev/null 2>&1 &)",
  "(env -i setsid $(command -v sh) -c 'env -i setsid /bin/sleep 6006 & exit' > /dev/null 2>&1 &)",
  "bash -c 'trap \"\" HUP TERM INT; exec -a [kworker/0:0] sleep 6007' > /dev/null 2>&1 & disown",
  "(cd / && env -i setsid nohup /bin/sleep 6008 > /dev/null 2>&1 < /dev/null &)",
  `env -i setsid ${nodeFile()} -e 'require("child_process").spawn("/bin/sleep", ["6009"], { detached: true, stdio: "ignore", env: {} }).unref()' > /dev/null 2>&1`,
  "(while :; do env -i setsid /bin/sleep 6010; done > /dev/null 2>&1 &)",
];
const countDaemons = "ps ax -o args | grep -c '[s]leep 60[01][0-9]'";

describe.each(standing)("behind the wall of %s", (wall) => {
  beforeAll(async () => {
    tools = await mkdtemp(join(tmpdir(), "wall-tools-"));
    await chmod(tools, 0o755);
    // Replaces ripgrep, which pi starts by itself.
    const spy = `#!/bin/sh\nps ax -o args > "$HOME/seen-by-rg"\nls ../state >> "$HOME/seen-by-rg"\n`;
    await writeFile(join(tools, "rg"), spy, { mode: 0o755 });
    world = await startWorld({ SANDBOX_WALL: wall, PATH: `${tools}:${process.env.PATH}` });
    services = await openServices(world);
  });
  afterAll(async () => {
    await world?.end();
    await rm(tools, { recursive: true, force: true });
  });

  test("a turn's shell cannot find the program or its secrets, and cannot signal it", async () => {
    const id = world.program.process.pid;
    const seen = await bash(
      `for id in ${id} $PPID; do cat /proc/$id/environ /proc/$id/maps; ls /proc/$id/fd /proc/$id/cwd/; head -c 1 /proc/$id/mem; done; true`,
      `for signal in USR1 TERM KILL; do kill -$signal ${id}; kill -$signal $PPID; done 2>&1; true`,
      "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep SECRET; true",
      "(echo > /dev/tcp/127.0.0.1/9229) 2>&1; true",
    );
    expect(seen).not.toContain(secret);
    const refused =
      wall === "users" ? ["Permission denied", "Operation not permitted"] : ["No such file", "No such process"];
    for (const words of refused) expect(seen).toContain(words);
    expect(seen).toContain("Connection refused");
    expect((await world.program.call("GET", "/status")).status).toBe(200);
    await expect(fetch("http://127.0.0.1:9229/json")).rejects.toThrow();
  });

  test("ten daemons of every kind end with their turn, and the services continue", async () => {
    await services.put([web()]);
    await services.answers("web");
    const before = await services.ask();
    expect(await bash(...daemons, `sleep 0.3; ${countDaemons}`)).toMatch(/1[0-9]\n$/);
    expect(await bash(`${countDaemons}; true`)).toBe("0\n");
    expect((await services.ask()).id).toBe(before.id);
  });

  test("a background command of a turn continues during the next command of the same turn", async () => {
    expect(await bash("sleep 6020 & echo $! > id", "kill -0 $(cat id) && kill $(cat id) && echo reached")).toContain(
      "reached",
    );
  });

  test("a service sees neither the processes nor the tokens of a turn", async () => {
    const spy = 'while :; do cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" >> "$HOME/spied"; sleep 0.02; done';
    await services.put([{ name: "spy", command: spy, endpoints: [] }]);
    await until("the spy", () => readFile(root("home/spied"), "utf8").catch(() => null));
    await bash("sleep 0.3");
    await services.put([]);
    const spied = await readFile(root("home/spied"), "utf8");
    expect(spied).toContain("SWITCHYARD_SERVICE=");
    expect(spied).not.toContain("SWITCHYARD_API_TOKEN");
    expect(spied).not.toContain(secret);
  });

  test("a variable of the project is set for a command, and not for the programs that wrap it", async () => {
    const evil = root("project/evil");
    const spy = '#!/bin/sh\nls "$PWD" "$HOME/../state" / > "$EVIL/../led-by" 2>&1\n';
    await mkdir(evil);
    for (const name of ["nsenter", "setpriv", "unshare", "sh"]) await writeFile(join(evil, name), spy, { mode: 0o755 });
    const env = {
      PATH: `${evil}:${process.env.PATH}`,
      EVIL: evil,
      LD_DEBUG: "files",
      LD_DEBUG_OUTPUT: root("tmp/loaded"),
    };
    const { service } = await world.runTurn([{ bash: 'echo "$PATH"; env | grep -c GIVEN; true' }, { say: "done" }], {
      env,
    });
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(getOutput(service.received)).toBe(`${env.PATH}\n0\n`);
    const loaded = await Promise.all(
      (await readdir(root("tmp")))
        .filter((name) => name.startsWith("loaded"))
        .map((name) => readFile(root("tmp", name), "utf8")),
    );
    expect(loaded.join("")).toContain("initialize program: /bin/bash");
    expect(loaded.join("")).not.toMatch(/initialize program: .*(nsenter|setpriv|unshare|sh -c)/);
    await expect(access(root("project/led-by"))).rejects.toThrow();
    await rm(evil, { recursive: true });
  });

  test("a `.bashrc` that a turn left runs in no later shell, least of all outside of it", async () => {
    await writeFile(root("home/.bashrc"), 'ls "$HOME/../state" > "$HOME/led-by-bashrc" 2>&1\n');
    expect(await bash("test ! -e ~/led-by-bashrc && echo clean")).toBe("clean\n");
    await rm(root("home/.bashrc"));
  });

  test("the agent's tools cannot open the program's own files, even through links in the checkout", async () => {
    await symlink("../state", root("project/inside"));
    await symlink("/proc/self", root("project/self"));
    const { service } = await world.runTurn([
      { bash: "ls -A ../state inside/; cat ../state/checkout.json" },
      { tool: { name: "read", input: { path: "../state/checkout.json" } } },
      { tool: { name: "read", input: { path: "inside/checkout.json" } } },
      { tool: { name: "read", input: { path: "self/cmdline" } } },
      { artifact: { slug: "own", title: "Own", kind: "markdown", path: "inside/checkout.json" } },
      { write: { path: "inside/checkout.json", content: "{}" } },
      { write: { path: "inside/new/file", content: "{}" } },
      { say: "done" },
    ]);
    await service.ended();
    expect(JSON.stringify(service.received)).not.toContain("remoteUrl");
    expect(listBlocks(service.received).slice(0, 7)).toEqual(
      Array.from({ length: 7 }, () => expect.objectContaining({ type: "tool", status: "failed" })),
    );
    expect(await readFile(root("state/checkout.json"), "utf8")).toContain("remoteUrl");
    await expect(access(root("state/new"))).rejects.toThrow();
    await Promise.all([rm(root("project/inside")), rm(root("project/self"))]);
  });

  test("a program that an agent's tool starts is behind it too", async () => {
    const { service } = await world.runTurn([{ tool: { name: "grep", input: { pattern: "x" } } }, { say: "done" }]);
    await service.ended();
    const seen = await readFile(root("home/seen-by-rg"), "utf8");
    expect(seen).toContain("ps ax");
    expect(seen).not.toContain("checkout.json");
  });

  test("a git filter of the checkout in a member's commit runs behind it, and leaves no process", async () => {
    const filter =
      "(env -i setsid /bin/sleep 6030 > /dev/null 2>&1 &) ; ps ax -o args > $HOME/seen-by-filter; ls ../state >> $HOME/seen-by-filter; cat";
    await bash(`git config filter.spy.clean '${filter}'; echo '* filter=spy' > .gitattributes; echo new > new.txt`);
    const author = { name: "Member", email: "member@example.com" };
    expect((await world.program.call("POST", "/git/commit", { message: "By hand", author })).status).toBe(200);
    const seen = await readFile(root("home/seen-by-filter"), "utf8");
    expect(seen).toContain("git");
    expect(seen).not.toContain("checkout.json");
    await bash("git config --unset filter.spy.clean");
    expect(await bash("ps ax -o args | grep -c '[s]leep 6030'; true")).toBe("0\n");
    const everywhere = (await readdir("/proc"))
      .filter(Number)
      .map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""));
    expect((await Promise.all(everywhere)).filter((command) => command.endsWith("sleep\x006030\0"))).toEqual([]);
  });

  test("a git filter of the checkout runs behind it, whatever word a file's name is", async () => {
    await bash(`git config filter.spy.clean 'ls ../state >> $HOME/seen-by-patch; echo run >> $HOME/seen-by-patch; cat'
      echo '* filter=spy' > .gitattributes; echo old > ./--cached; git add -A; git commit -qm named; echo changed > ./--cached
      rm $HOME/seen-by-patch`);
    const { body } = await world.program.call("GET", `/git/patch?base=main&path=${encodeURIComponent("--cached")}`);
    expect(JSON.stringify(body)).toContain("changed");
    const seen = await readFile(root("home/seen-by-patch"), "utf8");
    expect(seen).toContain("run");
    expect(seen).not.toContain("checkout.json");
    await bash("git config --unset filter.spy.clean");
  });

  test("the lock of a git that runs in a service is kept", async () => {
    await bash("git config filter.slow.clean 'sleep 600'; echo '* filter=slow' > .gitattributes");
    expect((await services.put([{ name: "adds", command: "git add --all", endpoints: [] }])).status).toBe(204);
    const hasLock = () =>
      access(root("project/.git/index.lock")).then(
        () => true,
        () => false,
      );
    await until("the lock", hasLock);
    const author = { name: "Ada", email: "ada@example.test" };
    const refused = await world.program.call("POST", "/git/commit", { message: "By hand", author });
    expect(refused.body?.message).toContain("Another git command is running");
    expect(await hasLock()).toBe(true);
    await services.put([]);
    await bash("rm -f .git/index.lock; git config --unset filter.slow.clean; git checkout -q .gitattributes");
  });

  test("a git filter of the checkout runs behind it as a pull request is opened, without a token, and ends with the turn", async () => {
    // The wall of users hides no process of the machine: one of an earlier run must not count.
    const daemon = `sleep 6040.${process.pid}`;
    const filter = `(env -i setsid /bin/${daemon} > /dev/null 2>&1 &) ; env > $HOME/seen-by-status; ls ../state >> $HOME/seen-by-status; cat`;
    const { start, service } = await world.runTurn(
      [
        {
          bash: `git config filter.spy.clean '${filter}'; echo '* filter=spy' > .gitattributes; echo once > opened.txt
            git add -A; git commit -qm filtered; rm $HOME/seen-by-status; echo anew > opened.txt`,
        },
        { tool: { name: "open_pull_request", input: { title: "Opened", body: "" } } },
        { say: "done" },
      ],
      { profile: profile({ tools: ["open_pull_request"] }) },
    );
    expect(await service.ended()).toEqual({ status: "completed" });
    expect(JSON.stringify(service.received)).toContain("not committed");
    const seen = await readFile(root("home/seen-by-status"), "utf8");
    expect(seen).toContain("GIT_WORK_TREE=");
    for (const hidden of ["checkout.json", secret, world.remote.token, start.link.token, start.model.token])
      expect(seen).not.toContain(hidden);
    await bash("git config --unset filter.spy.clean");
    expect(await bash(`ps ax -o args | grep -c '[/]${daemon}'; true`)).toBe("0\n");
  });

  test("a stop ends every daemon in time, and the next turn works", async () => {
    const { start, service } = await world.runTurn([{ bash: [...daemons, "touch away; sleep 600"].join("\n") }]);
    await until("the daemons", () =>
      access(root("project/away")).then(
        () => true,
        () => false,
      ),
    );
    expect((await world.program.call("POST", `/turns/${start.turnId}/stop`)).status).toBe(204);
    expect(await service.ended()).toEqual({ status: "cancelled" });
    expect(await bash(`${countDaemons}; true`)).toBe("0\n");
  });

  test("restored work belongs to the agent, and the program's part of it is closed again", async () => {
    await bash("echo kept > kept.txt; chmod 400 kept.txt; echo mine > $HOME/mine.txt");
    const work = await saveWork(world.program);
    const woken = await startProgram({ env: { SANDBOX_WALL: wall } });
    try {
      expect((await restoreWork(woken, work)).status).toBe(200);
      expect((await woken.call("PUT", "/checkout", world.checkout)).status).toBe(200);
      expect(await readFile(join(woken.root, "project/kept.txt"), "utf8")).toBe("kept\n");
      for (const path of ["project/kept.txt", "home/mine.txt", "project/.git/HEAD"])
        expect((await stat(join(woken.root, path))).uid, path).toBe(wall === "users" ? 1000 : process.getuid?.());
      const state = await stat(join(woken.root, "state"));
      expect([state.uid, state.mode]).toEqual(getOwnerOfState(wall));
    } finally {
      await woken.remove();
    }
  });

  test("the program's part is closed again after a part of a base was deleted", async () => {
    const killed = await startProgram({ env: { SANDBOX_WALL: wall } });
    await killed.kill();
    await writeFile(join(killed.root, "unfinished"), "");
    const next = await startProgram({ root: killed.root, env: { SANDBOX_WALL: wall } });
    try {
      expect(await readdir(next.root)).not.toContain("unfinished");
      const state = await stat(join(next.root, "state"));
      expect([state.uid, state.mode]).toEqual(getOwnerOfState(wall));
    } finally {
      await next.remove();
    }
  });
});
