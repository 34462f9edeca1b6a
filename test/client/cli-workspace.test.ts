// The commands for what is around sessions: crons, Deploys, the feed, usage, settings, skills,
// keys, comments and artifacts.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { parsePlace } from "../../packages/cli/src/commands/comment.ts";
import { UsageError } from "../../packages/cli/src/exit.ts";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { openTerminal, type Ran, type Terminal } from "./support/terminal.ts";

let terminal: Terminal;
const sy: Terminal["sy"] = (...given) => terminal.sy(...given);

/** Runs a command that succeeds, and returns what it printed. */
async function done(...given: Parameters<Terminal["sy"]>): Promise<string> {
  const { code, stdout, stderr } = await sy(...given);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

const refused = (code: number, says: string): Partial<Ran> => ({ code, stderr: expect.stringContaining(says) });

beforeAll(openApiWorld);
beforeEach(() => {
  terminal = openTerminal(apiWorld());
});

test("a cron is made, changed, paused, resumed and fired, and its runs are read", async () => {
  const name = `Check ${terminal.home.slice(-6)}`;
  const made = await done("cron", "new", name, "-", "--schedule", "0 9 * * 1", "-p", terminal.project, {
    input: script({ say: "All is well.\u001b[2J" }),
  });
  expect(made).toContain("0 9 * * 1 (UTC), next ");
  expect(await done("cron", "ls")).toMatch(new RegExp(`^\\w{6}  0 9 .*never ran  ${name}$`, "m"));
  expect(await done("cron", "pause", name)).toContain(", paused");
  expect(await done("cron", "edit", name, "--schedule", "0 8 * * 2", "--name", `${name}!`)).toContain("0 8 * * 2");
  expect(await done("cron", "resume", `${name}!`)).toContain(", next ");
  expect(await done("cron", "run", `${name}!`, "--wait")).toMatch(/: succeeded\nAll is well\.␛\[2J\n$/);
  const [run] = JSON.parse(await done("cron", "runs", `${name}!`, "--json"));
  expect(run).toMatchObject({ status: "succeeded" });
  expect(await done("cron", "runs", `${name}!`, run.id.slice(-6))).toContain("All is well.");
  expect(await sy("cron", "show", name)).toMatchObject(refused(1, `There is no cron ${name}.\n→ sy cron ls\n`));
  expect(await sy("cron", "edit", `${name}!`)).toMatchObject(refused(2, "Name what to change"));
});

test("a Deploy is started, waited for, talked to, stopped and listed", async () => {
  const project = ["-p", terminal.project];
  const ended = await sy("deploy", "start", "--wait", ...project);
  expect(ended).toMatchObject({ code: 0, stdout: "The Deploy is deployed.\n" });
  expect(ended.stderr).toMatch(/running agent\n[\s\S]*deployed\n$/);
  expect(await done("deploy", "ls", "-n", "1", ...project)).toMatch(/ {2}deployed {2,}\d+s {2,}by a member\n$/);
  const failing = script({ fail: "unauthorized" });
  expect((await sy("deploy", "start", failing, "--wait", ...project)).code).toBe(3);
  const gate = await closedGate();
  await done("deploy", "start", script({ bash: gate.command }), ...project);
  expect((await sy("deploy", "start", failing, "--restart", "--wait", ...project)).code).toBe(3);
  gate.open();
  const chat = await sy("deploy", "chat", ...project, { until: "Please do this.", interrupts: true });
  expect(chat.stdout).toContain("Please do this.");
  expect(await done("deploy", "cancel", ...project)).toBe("No Deploy runs.\n");
});

test("what was said is searched, and printed with the part around the words", async () => {
  const word = `heron${terminal.home.slice(-6).toLowerCase()}`;
  await terminal.start(`Look for the ${word}.`, "--title", "Said");
  const found = await until("the message", async () => {
    const printed = await done("search", word, "-p", terminal.project);
    return printed !== "" && printed;
  });
  expect(found).toMatch(new RegExp(`^\\w{6}  .*said  Said\n    Look for the ${word}\\.\n`, "m"));
  expect(await done("search", `${word}missing`)).toBe("");
});

test("the feed, usage and the settings are printed; masked values stay when settings are put back", async () => {
  const project = ["-p", terminal.project];
  await terminal.start("Look.", "--title", "For the feed");
  expect(await done("activity", "--kind", "session_started", ...project)).toMatch(/ {2}\w{6} {2}.*For the feed/);
  expect(await sy("activity", "--since", "soon")).toMatchObject(refused(1, "since is a date"));
  expect(await done("usage", "--by", "model")).toMatch(/^cost .* model\n[\s\S]* in total\n$/);
  expect(await done("usage", "--by", "day", "--since", "2026-11-01")).toMatch(
    / day\n.* 2026-11-01\n.* 2026-11-02\n[\s\S]* in total\n$/,
  );
  expect(await sy("usage", "-w", "nowhere")).toMatchObject(refused(1, "There is no workspace nowhere.\n→ one of: "));

  const before = JSON.parse(await done("settings", "get", "--json", ...project));
  const file = join(terminal.home, "settings.json");
  writeFileSync(file, JSON.stringify({ ...before, env: { ...before.env, TOKEN: "long-and-secret" } }));
  await done("settings", "put", file, ...project);
  const masked = await done("settings", "get", ...project);
  expect(masked).not.toContain("long-and-secret");
  writeFileSync(file, masked);
  await done("settings", "put", file, ...project);
  expect(await done("settings", "get", ...project)).toBe(masked);
  writeFileSync(file, JSON.stringify(before));
  await done("settings", "put", file, ...project);
  writeFileSync(file, "{");
  expect(await sy("settings", "put", file, ...project)).toMatchObject(refused(2, "is not JSON"));
});

test("a folder is a skill of yours or of a workspace, and a second push replaces it", async () => {
  const folder = join(terminal.home, "skill");
  const name = `count-${terminal.home
    .slice(-6)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, "0")}`;
  mkdirSync(join(folder, "more"), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: Counts.\n---\nCount.\n`);
  writeFileSync(join(folder, "more/.hidden"), "");
  writeFileSync(join(folder, "more/notes.md"), "Notes.\n");
  for (const shelf of [[], ["-w", apiWorld().workspaceId]]) {
    expect(await done("skills", "push", folder, ...shelf)).toBe(`${name} is saved, with 2 files.\n`);
    expect(await done("skills", "push", folder, ...shelf)).toBe(`${name} is replaced, with 2 files.\n`);
    expect(await done("skills", "ls", ...shelf)).toContain(`${name}  on `);
  }
  writeFileSync(join(folder, "picture.png"), Buffer.from([0x89, 0xff]));
  expect(await sy("skills", "push", folder)).toMatchObject(refused(2, "picture.png is no text"));
  mkdirSync(join(terminal.home, "empty"));
  expect(await sy("skills", "push", join(terminal.home, "empty"))).toMatchObject(refused(2, "no SKILL.md"));
});

test("a relay key is made, listed and revoked; API keys are a page", async () => {
  const name = `bot ${terminal.home.slice(-6)}`;
  const key = await done("keys", "relay", "new", name);
  expect(key).toMatch(/^svc_rly_\S+\n$/);
  expect(await done("keys", "relay", "ls")).toContain(`…${key.trim().slice(-4)}  `);
  expect(await done("keys", "relay", "rm", name)).toBe(`${name} is revoked.\n`);
  expect(await sy("keys", "relay", "rm", name)).toMatchObject(refused(1, "There is no relay key"));
  expect(await done("keys")).toBe(`${apiWorld().baseUrl}/account\n`);
});

test("a webhook is made, tested, enabled again and deleted, and its deliveries are read", async () => {
  const name = `hook ${terminal.home.slice(-6)}`;
  const receiver = createServer((_, response) => void response.writeHead(202).end("taken\u001b[2J"));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  expect(await done("webhooks", "new", url, "cron.*", "--name", name)).toMatch(/^whsec_\S+\n$/);
  expect(await done("webhooks", "ls")).toMatch(new RegExp(`^\\w{6}  active  .*cron\\.\\*  ${url}$`, "m"));
  expect(await done("webhooks", "test", name)).toMatch(/^HTTP 202|^taken␛\[2J$/m);
  expect(await done("webhooks", "deliveries", name, "--status", "succeeded")).toMatch(
    / webhook\.test {2}succeeded {2}1 × /,
  );
  expect(await done("webhooks", "enable", name, "--recover", "2026-01-01")).toBe(
    "It is enabled. 0 events are sent again.\n",
  );
  expect(await sy("webhooks", "new", "https://10.0.0.1/")).toMatchObject(refused(1, "not an IP address"));
  expect(await done("webhooks", "rm", name)).toBe(`The webhook to ${url} is deleted.\n`);
  expect(await sy("webhooks", "test", name)).toMatchObject(refused(1, "There is no webhook"));
  receiver.close();
});

test.each([
  ["webhooks", "new", "https://example.com/hook", "job.*"],
  ["keys", "relay", "new", "Bob's relay"],
  ["usage"],
  ["api", "GET", "/api/organizations/{workspace}/members"],
])("with two workspaces, %s %s asks for one, and shows the command that names it", async (...args) => {
  const asked: string[] = [];
  const service = createServer((request, response) => {
    const { method, url = "" } = request;
    // Each command may also ask for the version.
    if (url !== "/api/meta") asked.push(`${method} ${url.split("?")[0]}`);
    const workspaces = ["acme", "other"].map((slug) => ({ id: `ws-${slug}`, slug, name: slug }));
    const data = url === "/api/organizations" ? workspaces : { secret: "made", key: "made" };
    const isKnown = url === "/api/organizations" || method === "POST";
    response.writeHead(isKnown ? 200 : 403, { "content-type": "application/json" });
    response.end(
      JSON.stringify(isKnown ? { success: true, data } : { success: false, code: "FORBIDDEN", error: "No." }),
    );
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const SWITCHYARD_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const env = { ...terminal.env, SWITCHYARD_URL };
  const { code, stderr } = await sy(...args, { env });
  const [says, repeat = ""] = stderr.split("\n");
  expect([code, says]).toEqual([2, "Name a workspace with -w, one of: acme, other"]);
  expect(repeat).toMatch(/^→ sy .+ -w acme$/);
  expect(asked).toEqual(["GET /api/organizations"]);
  // A shell reads the command as it is shown.
  const words = await new Promise<string>((resolve) => {
    const shell = spawn("sh", ["-c", repeat.replace("→ sy", "printf '%s\\n'")]);
    shell.stdout.setEncoding("utf8").once("data", resolve);
  });
  expect(words.trimEnd().split("\n")).toEqual([...args, "-w", "acme"]);
  await sy(...args, "-w", "other", { env });
  expect(asked.at(-1)).toContain("/api/organizations/ws-other/");
  service.close();
});

test("triggers are printed, put back as they were printed, and tried with an event", async () => {
  const project = ["-p", terminal.project];
  const file = join(terminal.home, "triggers.json");
  const put = async (triggers: object[]) => {
    const { version } = JSON.parse(await done("triggers", "get", ...project));
    writeFileSync(file, JSON.stringify({ version, triggers }));
    return await done("triggers", "put", file, ...project);
  };
  const when = { place: "incident.id" };
  await put([
    { name: "Incidents", on: "http", when, do: { action: "file" } },
    { name: "Reviews", on: "review" },
  ]);
  const printed = JSON.parse(await done("triggers", "get", ...project));
  expect(printed.triggers).toMatchObject([{ lacks: [] }, { lacks: [] }]);
  expect(await put(printed.triggers)).toContain("are replaced");
  const payload = join(terminal.home, "payload.json");
  writeFileSync(payload, JSON.stringify({ incident: { id: "INC-7" } }));
  const tried = await done("triggers", "try", "http", payload, ...project);
  expect(tried).toMatch(/^Incidents {2,}file$/m);
  expect(tried).toMatch(/^Reviews {2,}no match: other_event$/m);
  expect(await sy("triggers", "try", "http", file.replace("triggers", "none"), ...project)).toMatchObject({ code: 2 });
  await put([]);
});

test("comments are collected, sent as one message, and resolved; artifacts are read", async () => {
  const id = await terminal.start(
    script(
      { write: { path: "a.txt", content: "one\ntwo\n" } },
      { artifact: { slug: "report", title: "Report", kind: "markdown", content: "# Hi\u001b[2J" } },
      { say: "Done." },
    ),
  );
  await sy("wait", id);
  expect(await done("comment", id, "a.txt:2", "Why two?")).toMatch(
    /^a\.txt:2 {2,}Why two\?\n→ sy comment \w+ --send\n/,
  );
  // In a folder that is on the branch of the session.
  const { session } = JSON.parse(await done("show", id, "--json"));
  const cwd = join(terminal.home, "folder");
  execFileSync("git", ["init", "--quiet", "--initial-branch", session.branch, cwd]);
  await done("comment", "a.txt:1-2", "-", { input: "Both.", cwd });
  expect(await done("comment", id, "--send")).toContain("2 comments are sent.");
  await sy("wait", id);
  const { messages } = JSON.parse(await done("show", id, "--transcript", "--json"));
  expect(messages.at(-2).context.diffCommentIds).toHaveLength(2);
  expect(await done("comment", id, "a.txt:1", "--resolve")).toBe("1 comment is resolved.\n");
  expect(await done("comment", id, "--resolve")).toBe("1 comment is resolved.\n");
  expect(await sy("comment", id, "--send")).toMatchObject(refused(2, "no open comment"));

  expect(await done("artifacts", id)).toMatch(/^report {2}markdown {2}v1 .* Report\n$/);
  expect(await done("artifacts", id, "get", "report")).toBe("# Hi\u001b[2J\n");
  await done("artifacts", id, "get", "report", "-o", "report.md");
  expect(readFileSync(join(terminal.home, "report.md"), "utf8")).toBe("# Hi\u001b[2J");
  expect(await sy("artifacts", id, "get", "other")).toMatchObject(refused(1, "There is no artifact other."));
  expect(await sy("artifacts", id, "report")).toMatchObject(refused(2, "sy artifacts ID get SLUG"));
});

describe("a place of a comment", () => {
  it.each([
    ["a.ts:1", { filePath: "a.ts", startLineNumber: 1, endLineNumber: 1 }],
    ["a:b/c.ts:10-12", { filePath: "a:b/c.ts", startLineNumber: 10, endLineNumber: 12 }],
  ])("%s is read", (place, read) => expect(parsePlace(place)).toEqual(read));
  it.each(["a.ts", "a.ts:", ":4", "a.ts:x"])("%s is refused", (place) =>
    expect(() => parsePlace(place)).toThrow(UsageError),
  );
});
