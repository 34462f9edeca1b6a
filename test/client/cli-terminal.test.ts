// `sy` where a person types: in a terminal, which `script` of util-linux makes.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { startHttpService } from "./support/http-service.ts";
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
    ["Did you mean /answer?", "/svc:opne-pr\n"],
    ["Did you mean /svc:open-pr?", " /etc is a folder.\n"],
    ["waits Up next", "/stop\n"],
    ["turn 1 was stopped", "\u0003"],
  ]);
  gate.open();
  expect(shown).toMatch(/Enter sends, \^S steers\./);
  expect(shown).toContain("left with 130");
  // The terminal stops its output at ^S again.
  expect(shown).toMatch(/ ixon\n$/);
});

test("lines that are pasted together are sent one after the other, and /stop waits for none of them", async () => {
  const session = { id: "11111111-1111-4111-8111-111111111111", projectId: "p", title: "Pasted", sessionUrl: "x" };
  const path = `/api/projects/p/chat-sessions/${session.id}`;
  const log: string[] = [];
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const service = await startHttpService(async ({ operation, body }) => {
    if (operation === `GET ${path}/events`) return { events: [] };
    if (operation === `POST ${path}/jobs/chat/job/cancel`) {
      log.push("stopped");
      stop();
      return { data: null };
    }
    if (operation === `POST ${path}/jobs/chat`) {
      const { content } = body as { content: string };
      log.push(`${content} came`);
      await stopped;
      log.push(`${content} answered`);
      return { status: 201, data: { delivery: "queued", queuedMessageId: content } };
    }
    return { data: { session: { ...session, latestChatJob: { id: "job" } } } };
  });
  const { home } = openTerminal({ baseUrl: service.url, users: { owner: { apiKey: "svc_key_test" } }, projectId: "p" });
  const env = { SWITCHYARD_URL: service.url, SWITCHYARD_API_KEY: "svc_key_test", HOME: home };
  const { code } = await type(`${process.execPath} ${program} attach ${session.id}`, env, [
    ["Enter sends", "One.\nTwo.\n/stop\n/quit\n"],
  ]);
  service.close();
  expect(code).toBe(0);
  expect(log.filter((line) => line !== "stopped")).toEqual([
    "One. came",
    "One. answered",
    "Two. came",
    "Two. answered",
  ]);
  expect(log.indexOf("stopped")).toBeLessThan(log.indexOf("One. answered"));
});
