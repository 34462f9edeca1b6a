// `sy` where a person types: in a terminal, which `script` of util-linux makes.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { openTerminal, program } from "./support/terminal.ts";

beforeAll(openApiWorld);

/** Runs a command in a terminal. Each text of it is answered with what is typed. */
async function type(line: string, env: Record<string, string>, dialogue: [seen: string, typed: string][]) {
  const args = ["--quiet", "--flush", "--return", "--command", line, "/dev/null"];
  const { PATH = "" } = process.env;
  const child = spawn("script", args, { env: { PATH, TERM: "dumb", SHELL: "/bin/sh", ...env } });
  let shown = "";
  let from = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    const [seen, typed] = dialogue[0] ?? [];
    if (seen === undefined || typed === undefined || !shown.slice(from).includes(seen)) return;
    dialogue.shift();
    from = shown.length;
    child.stdin.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, shown: shown.replaceAll("\r", "") };
}

test("a message of Up next is edited in $EDITOR, and what was written stays if somebody else was faster", async () => {
  const terminal = openTerminal(apiWorld());
  const gate = await closedGate();
  const id = await terminal.start(script({ bash: gate.command }));
  await terminal.sy("send", id, "Later.");
  const sy = `${process.execPath} ${program}`;
  const editor = join(terminal.home, "editor.sh");
  const edit = async (commands: string) => {
    writeFileSync(editor, `echo "By hand." > "$1"\n${commands}`);
    const env = { ...terminal.env, HOME: terminal.home, EDITOR: `sh ${editor}` };
    return await type(`${sy} queue edit ${id} 1`, env, []);
  };
  expect(await edit("")).toEqual({ code: 0, shown: "edited\n" });
  expect((await terminal.sy("queue", "ls", id)).stdout).toBe("1  By hand.\n");
  const late = await edit(`${sy} queue edit ${id} 1 Sooner.`);
  expect(late).toMatchObject({ code: 2, shown: expect.stringContaining("has changed it:\nSooner.\n") });
  const [, file = ""] = /Your text is in (\S+)/.exec(late.shown) ?? [];
  expect(readFileSync(file, "utf8")).toBe("By hand.\n");
  rmSync(dirname(file), { recursive: true });
  expect(await terminal.sy("queue", "edit", id, "1")).toMatchObject({ code: 2 });
  await terminal.sy("stop", id);
  gate.open();
});

test("^S steers, Enter queues, /diff shows the changes, and ^C leaves the terminal as it was", async () => {
  const terminal = openTerminal(apiWorld());
  const gate = await closedGate();
  const steps = [{ write: { path: "typed.txt", content: "by hand\n" } }, { bash: gate.command }];
  const id = await terminal.start(script(...steps));
  const attach = `${process.execPath} ${program} attach ${id}; echo "left with $?"; stty -a | grep -o " ixon"`;
  const { shown } = await type(`trap : INT; ${attach}`, { ...terminal.env, HOME: terminal.home }, [
    ["▸ typed.txt", "Faster.\u0013"],
    ["steered", "/diff typed.txt\n"],
    ["+by hand", "/diff nowhere.txt\n"],
    ["nowhere.txt.", "/answer\n"],
    ["/answer 0", "/anwser 0\n"],
    ["Did you mean /answer?", " /etc is a folder.\n"],
    ["waits Up next", "/stop\n"],
    ["turn 1 was stopped", "\u0003"],
  ]);
  gate.open();
  expect(shown).toMatch(/Enter sends, \^S steers\./);
  expect(shown).toContain("left with 130");
  // The terminal stops its output at ^S again.
  expect(shown).toMatch(/ ixon\n$/);
});
