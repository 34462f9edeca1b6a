// A terminal as a person has it, with each wall that this machine allows, and without one.
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWall, noIsolation } from "../../../practice/sandbox-host/isolation.ts";
import type { Wall } from "../../../sandbox-program/process/wall.ts";
import { terminalsMax, terminalUnreadBytes } from "../../../src/terminal/rules/limits.ts";
import { processTree, readCommand } from "../../support/process-tree.ts";
import { until } from "../../support/until.ts";
import { secret } from "../support/program.ts";
import { type OpenedTerminal, openTerminal } from "../support/terminal.ts";
import { startWorld, type World } from "../support/world.ts";

const found = await findWall(noIsolation);
const walls: Wall[] = [...new Set<Wall>(["none", found, ...(hasUsers() ? (["users"] as const) : [])])];

/** Whether the program can become other users here. */
function hasUsers(): boolean {
  const asAgent = ["--reuid=1000", "--regid=20000", "--clear-groups", "--", "true"];
  return process.getuid?.() === 0 && spawnSync("setpriv", asAgent).status === 0;
}

let world: World;
const opened: OpenedTerminal[] = [];
async function open(options?: Parameters<typeof openTerminal>[1]): Promise<OpenedTerminal> {
  const terminal = await openTerminal(world.program, options);
  opened.push(terminal);
  return terminal;
}

/** The processes on this machine with a text in their arguments. */
const listProcesses = (text: string): string[] =>
  spawnSync("ps", ["ax", "-o", "args"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.includes(text));

describe.each(walls)("with the wall %s", (wall) => {
  beforeAll(async () => {
    world = await startWorld({ SANDBOX_WALL: wall });
  });
  afterAll(async () => {
    for (const terminal of opened.splice(0)) terminal.close();
    await world?.end();
  });

  test("a login shell runs in the checkout, with the variables of the project, and its size changes", async () => {
    await writeFile(join(world.program.root, "home/.bash_profile"), "export FROM_PROFILE=seen; PATH=/nowhere\n");
    const terminal = await open({ env: { GREETING: "hello there" } });
    await until("the prompt", () => /project [#$] $/.test(terminal.printed()));
    await terminal.run("echo $((6*7))", "42");
    expect(await terminal.run("stty size; tty", "/dev/pts/")).toContain("31 101");
    await terminal.run('echo "<$GREETING>"', "<hello there>");
    await terminal.run('test "$PWD" = "$HOME/../project" -o -d .git && echo at-"home"', "at-home");
    await terminal.run('case "$-" in *i*) echo "inter""active $FROM_PROFILE";; esac', "interactive seen");
    terminal.send({ resize: { cols: 77, rows: 22 } });
    await until("the new size", async () => (await terminal.run("stty size; echo do''ne", "done")).includes("22 77"));
    terminal.close();
  });

  test("what is typed before the shell runs reaches it, and Ctrl-C ends what it runs", async () => {
    const terminal = await open();
    terminal.type("echo ear''ly; sleep 7100\r");
    await until("the early line", () => terminal.printed().includes("early"));
    await until("the command", () => listProcesses("sleep 7100").length > 0);
    terminal.type("\x03");
    await until("its end", () => listProcesses("sleep 7100").length === 0);
    await terminal.run("echo af''ter", "after");
    terminal.close();
  });

  test("`exit` ends the terminal with a sentence", async () => {
    const terminal = await open();
    terminal.type("exit\r");
    expect(await terminal.closed).toBe(1000);
    expect(terminal.reports.at(-1)).toBe('{"end":"The shell has ended."}');
  });

  test("a command that reads no input ends with the socket, however much was typed", async () => {
    const terminal = await open();
    terminal.type("sleep 7150\r");
    await until("the command", () => listProcesses("sleep 7150").length > 0);
    for (let sent = 0; sent < 12; sent++) terminal.type("x".repeat(64 * 1_024));
    terminal.close();
    await until("its end", () => listProcesses("sleep 7150").length === 0);
  });

  test("nothing that it started outlives its socket", async () => {
    const terminal = await open();
    const daemons = [
      "sleep 7201 &",
      "nohup sleep 7202 > /dev/null 2>&1 &",
      "setsid sleep 7203 > /dev/null 2>&1 &",
      "(setsid sh -c 'sleep 7204 & exit' > /dev/null 2>&1 &)",
      "(trap '' HUP TERM; exec sleep 7205) &",
      // Without a wall, a process is found by its environment.
      ...(wall === "none" ? [] : ["env -i setsid $(command -v sleep) 7206 > /dev/null 2>&1 &"]),
    ];
    terminal.type('echo "is <$SWITCHYARD_TERMINAL>"\r');
    const mark = await until("its mark", () => /is <([^$>]+)>/.exec(terminal.printed())?.[1]);
    for (const line of daemons) terminal.type(`${line}\r`);
    await until("all of them", () => listProcesses("sleep 720").length >= daemons.length);
    terminal.close();
    await until("their end", () => listProcesses("sleep 720").length === 0);
    // Terminals of other tests may be open.
    expect(listProcesses(mark)).toEqual([]);
  });

  test("output that the browser does not read waits in the sandbox, and input then still arrives", async () => {
    const terminal = await open({ isSlow: true });
    terminal.type("yes 0123456789\r");
    await until("a full window", () => terminal.printedBytes() >= terminalUnreadBytes);
    terminal.type("\x03");
    const most = terminalUnreadBytes + 64 * 1_024;
    expect(terminal.printedBytes()).toBeLessThanOrEqual(most);
    const reading = setInterval(() => terminal.send({ read: terminal.printedBytes() }), 20);
    await terminal.run("echo free''ly", "freely");
    clearInterval(reading);
    terminal.close();
  });

  test("long input arrives whole, and its arrival is reported", async () => {
    const terminal = await open();
    await terminal.run("stty -echo; echo rea''dy", "ready");
    terminal.type("wc -c\r");
    const line = `${"x".repeat(999)}\n`;
    for (let at = 0; at < 300; at++) terminal.type(line);
    terminal.type("\x04");
    await until("the count", () => terminal.printed().includes("300000"));
    await until("the report", () => terminal.reports.some((report) => JSON.parse(report).taken > 200_000));
    terminal.close();
  });

  test("the program refuses a terminal without its secret, and more than it may have", async () => {
    const url = `${world.program.url}/terminal`;
    const headers = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-key": "eHg=" };
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const sent = request(url, { headers: { ...headers, authorization: "Bearer guessed" } });
      sent.once("response", (answer) => resolve(answer.statusCode)).once("upgrade", () => resolve(101));
      sent.end();
    });
    expect(status).toBe(401);
    const terminals = await Promise.all(Array.from({ length: terminalsMax }, () => open()));
    for (const terminal of terminals) await terminal.run("echo o''k", "ok");
    const extra = await open();
    expect(await extra.closed).toBe(1000);
    expect(extra.reports.join()).toContain("8 terminals are open");
    // Terminals of other tests may be open, so only those below this program count.
    const countShells = () =>
      processTree(world.program.process.pid ?? 0).filter((one) => readCommand(one).startsWith("script --quiet")).length;
    expect(countShells()).toBe(terminalsMax);
    for (const terminal of terminals) terminal.close();
    await until("their end", () => countShells() === 0);
  });

  if (wall !== "none")
    test("it finds no token of the program or of a turn that runs meanwhile", async () => {
      const { start, service } = await world.runTurn([{ bash: "echo started > sign; sleep 7300" }, { say: "done" }]);
      await until("the turn's command", () => listProcesses("sleep 7300").length > 0);
      const terminal = await open();
      const look = [
        "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'",
        "ps axe -o args",
        "cat ~/../state/* ~/../state/*/* 2>/dev/null",
        "env",
        "echo look''ed",
      ];
      const seen = await terminal.run(look.join("; "), "looked");
      const tokens = [secret, start.api.token, start.link.token, start.model.token, start.git.token];
      expect(tokens.filter((token) => seen.includes(token))).toEqual([]);
      expect(seen).toContain("SWITCHYARD_TERMINAL=");
      expect(seen).not.toContain("SWITCHYARD_TURN=");
      expect(seen).not.toContain("SWITCHYARD_API_TOKEN");
      const id = world.program.process.pid;
      expect(await terminal.run(`kill -9 ${id}; echo tri''ed`, "tried")).not.toContain(secret);
      expect((await world.program.call("GET", "/status")).status).toBe(200);
      expect(listProcesses("sleep 7300").length).toBeGreaterThan(0);
      terminal.close();
      await world.program.call("POST", `/turns/${start.turnId}/stop`);
      await service.ended();
    });
});
