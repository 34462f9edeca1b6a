// The command line as its users run it, against a running service.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { version } from "../../package.json";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createdSessions, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

let terminal: Terminal;
let home: string;
let env: Record<string, string>;
let project: string;
const sy: Terminal["sy"] = (...given) => terminal.sy(...given);
const start: Terminal["start"] = (...given) => terminal.start(...given);

beforeAll(openApiWorld);
beforeEach(() => {
  terminal = openTerminal(apiWorld());
  ({ home, env, project } = terminal);
});

test("a key is read from stdin, kept for its owner only, used, and forgotten", async () => {
  const { baseUrl, users } = apiWorld();
  const alone = { env: {} };
  expect(await sy("whoami", { input: "", ...alone })).toMatchObject({
    code: 77,
    stderr: "You are not signed in. Run `sy login HOST`, or set SWITCHYARD_URL and SWITCHYARD_API_KEY.\n",
  });
  const wrong = await sy("login", baseUrl, "--key", { input: `svc_key_${"A".repeat(43)}\n`, ...alone });
  expect(wrong).toMatchObject({ code: 77, stdout: "" });
  const signedIn = await sy("login", baseUrl, "--key", { input: `${users.owner.apiKey}\n`, ...alone });
  expect(signedIn).toMatchObject({ code: 0, stdout: expect.stringContaining("as Olive Owner") });
  const config = join(home, ".config/switchyard/config.json");
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect((await sy("whoami", { input: "", ...alone })).stdout).toContain("owner@example.com");
  // The key of one service goes to no other one.
  const elsewhere = { input: "", env: { SWITCHYARD_URL: "http://localhost:1" } };
  expect(await sy("whoami", elsewhere)).toMatchObject({ code: 77, stderr: expect.stringContaining("There is no key") });
  const unnamed = { input: "", env: { SWITCHYARD_API_KEY: users.owner.apiKey } };
  expect(await sy("whoami", unnamed)).toMatchObject({ code: 2, stderr: expect.stringContaining("SWITCHYARD_URL") });
  expect((await sy("logout", { input: "", ...alone })).code).toBe(0);
  expect(readFileSync(config, "utf8")).not.toContain("svc_key_");
});

test("a person approves a sign-in in a browser, and the terminal keeps the key", async () => {
  const { baseUrl } = apiWorld();
  const member = await signIn(apiWorld(), "member");
  const decide = (decision: string) => async (code: string) => {
    const headers = { ...member.headers, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ code, decision });
    expect((await fetch(`${baseUrl}/device`, { method: "POST", headers, body })).status).toBe(200);
  };
  const login = async (act: (code: string) => Promise<void>) => {
    const ran = sy("login", baseUrl, "--name", "my laptop", { env: {}, onStderr: readCode });
    let code: string | undefined;
    function readCode(text: string) {
      const [, shown] = /^Open \S+\/device in a browser, and type the code (\S+)$/m.exec(text) ?? [];
      if (shown === undefined || code !== undefined) return;
      code = shown;
      void act(shown);
    }
    return await ran;
  };
  const unattended = await sy("login", baseUrl, { env: { CI: "1" } });
  expect(unattended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--key < key.txt") });
  expect(await login(decide("deny"))).toMatchObject({ code: 1, stderr: expect.stringContaining("was denied") });
  expect(await login(decide("approve"))).toMatchObject({
    code: 0,
    stdout: `Signed in at ${baseUrl} as Mia Member.\n`,
  });
  expect((await sy("whoami", { env: {} })).stdout).toMatch(/my laptop \(….{4}, until .*\), kept by sy login/);
  expect((await sy("logout", "--revoke", { env: {} })).code).toBe(0);
});

test("the service installs it into one file, and names the next command", async () => {
  const { baseUrl } = apiWorld();
  const script = await (await fetch(`${baseUrl}/cli`)).text();
  const { PATH = "" } = process.env;
  const installed = spawnSync("sh", [], { input: script, env: { PATH, HOME: home }, encoding: "utf8" });
  const program = join(home, ".local/bin/sy");
  expect(installed.stdout).toBe(
    `sy ${version} is at ${program}. Sign in: sy login ${baseUrl}\n` +
      `Add it to your PATH: export PATH="${join(home, ".local/bin")}:$PATH"\n`,
  );
  expect(readdirSync(join(home, ".local/bin"))).toEqual(["sy"]);
  const asked = spawnSync(program, ["projects"], { env: { PATH, HOME: home, ...env }, encoding: "utf8" });
  expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining("acme/") });
});

test("a session is started, waited for, listed, shown, compared and proposed", async () => {
  const steps = [{ plan: ["Write it"] }, { write: { path: "cli.txt", content: "by sy\n" } }, { say: "It is written." }];
  const ran = await sy("new", "-", "-p", project, "--title", "By sy", "--wait", { input: script(...steps) });
  const states = expect.stringMatching(/\nturn 1 starts\nturn 1 works\nturn 1 is done\n$/);
  expect(ran).toMatchObject({ code: 0, stdout: "It is written.\n", stderr: states });
  const [listed] = JSON.parse((await sy("ls", "--search", "By sy", "--json")).stdout);
  createdSessions.set(listed.id, project);
  const id = listed.id.slice(-8);
  expect(await sy("ls", "-n", "1")).toMatchObject({ code: 0, stderr: "There are more. → sy ls --all\n" });
  expect((await sy("ls", "--all", "--search", "By sy")).stdout).toMatch(
    new RegExp(`^${listed.id.slice(-6)}  .*  By sy\n$`),
  );
  expect((await sy("show", id)).stdout).toMatch(
    /^By sy\nid .*\nchanges {7}1 file, \+1 -0 {2}→ sy diff\naddress .*\n\n○ Write it\n\nIt is written\.\n$/s,
  );
  const inColor = { env: { ...env, FORCE_COLOR: "1" } };
  expect((await sy("show", id, "--transcript", inColor)).stdout).toContain("\u001b[1mOlive Owner\u001b[22m\n");
  expect((await sy("diff", id)).stdout).toContain("+by sy");
  expect((await sy("diff", id, "--stat")).stdout).toBe("added  cli.txt  +1 -0\n");
  expect((await sy("pr", id, "--draft")).stdout).toContain(`sy wait ${listed.id.slice(-6)}`);
  expect((await sy("wait", id, "--exit-status")).code).toBe(0);
  expect((await sy("show", id)).stdout).toMatch(/\nchecks {8}\S/);
  const shown = JSON.parse((await sy("show", id, "--json")).stdout);
  expect(shown).toMatchObject({ session: { prState: "draft" }, pullRequest: { state: "draft" } });
});

test("a turn with a schema prints its result; one that ends without exits with 3", async () => {
  const schema = join(home, "schema.json");
  writeFileSync(
    schema,
    JSON.stringify({ type: "object", properties: { pass: { type: "boolean" } }, required: ["pass"] }),
  );
  const content = script({ submit: { pass: true } });
  const ran = await sy("new", "-", "-p", project, "--title", "Schema", "--schema", schema, "--wait", {
    input: content,
  });
  expect(ran).toMatchObject({ code: 0, stdout: '{\n  "pass": true\n}\n' });
  const [listed] = JSON.parse((await sy("ls", "--search", "Schema", "--json")).stdout);
  createdSessions.set(listed.id, project);
  const send = (...steps: Record<string, unknown>[]) =>
    sy("send", listed.id, "-", "--schema", schema, "--wait", "--json", { input: script(...steps) });
  const again = await send({ submit: { pass: false } });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({
    ...{ sessionId: listed.id, sessionUrl: listed.sessionUrl },
    ...{ outcome: "completed", result: { pass: false } },
  });
  const without = await send({ say: "Done." });
  expect(without.code).toBe(3);
  expect(JSON.parse(without.stdout)).toMatchObject({ outcome: "failed", code: "result_missing" });
  writeFileSync(schema, "[]");
  expect(await send()).toMatchObject({ code: 2, stderr: expect.stringContaining("schema.json is no JSON object") });
});

test("a turn that asks exits with 4 and says how to answer; one that fails with 3; a stopped one with 6", async () => {
  const option = (title: string) => ({ title, description: `About ${title}`, isRecommended: title === "red" });
  const question = { topic: "Colour", question: "Which colour?", options: [option("red"), option("blue")] };
  const id = await start(script({ ask: { questions: [question] } }));
  const asks = await sy("wait", id, "--exit-status");
  expect(asks).toMatchObject({ code: 4, stdout: "" });
  expect(asks.stderr).toMatch(/turn 1 asks\nWhich colour\?\n {2}0 {2}red .*\n {2}1 {2}blue .*\n→ sy answer \w{6} 0\n$/);
  const asked = asks.stderr.replace(/^turn 1 (starts|works)\n/gm, "");
  expect(await sy("wait", id, { env: { ...env, CI: "1" } })).toMatchObject({ code: 0, stderr: asked });
  const forScripts = await sy("wait", id, "--exit-status", "--json");
  expect(forScripts).toMatchObject({ code: 4, stderr: asked.replace("turn 1 asks\n", "") });
  const { sessionId, sessionUrl } = JSON.parse(forScripts.stdout);
  expect(sessionUrl.endsWith(sessionId) && sessionId.endsWith(id)).toBe(true);
  expect((await sy("answer", id, "7")).stderr).toMatch(/not among the choices.*\n {2}Which colour\?\n {4}0 {2}red\n/);
  expect(await sy("answer", id, "1", "--wait")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/turn 2 is done\n$/),
  });

  await sy("send", id, "-", { input: script({ fail: "unauthorized" }) });
  expect(await sy("wait", id, "--exit-status")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("turn 3 failed"),
  });

  const gate = await closedGate();
  writeFileSync(join(home, "task.md"), script({ bash: gate.command }));
  await sy("send", id, "-f", "task.md", "--attach", "-", { input: "a\n" });
  expect(await sy("wait", id, "--timeout", "0.1s", "--json")).toMatchObject({
    ...{ code: 124, stdout: `${JSON.stringify({ sessionId, sessionUrl })}\n` },
  });
  expect(await sy("wait", id, "--timeout", "0.1s")).toMatchObject({
    ...{ code: 124, stderr: expect.stringContaining(`It continues.\n→ sy wait ${id.slice(-6)}\n`) },
  });
  expect((await sy("send", id, "Later.")).stdout).toBe("waits Up next as 1\n");
  expect((await sy("queue", "ls", id)).stdout).toBe("1  Later.\n");
  const [session] = JSON.parse((await sy("api", "GET", `/api/chat-sessions?ref=${id}`)).stdout);
  const path = `/api/projects/${session.projectId}/chat-sessions/${session.id}/queue`;
  const [waiting] = JSON.parse((await sy("queue", "ls", id, "--json")).stdout).messages;
  expect((await sy("api", "PATCH", `${path}/${waiting.id}`, "-F", "editing=true")).code).toBe(0);
  expect((await sy("queue", "ls", id)).stdout).toBe(`1  Later. (${waiting.author.name} is editing)\n`);
  expect((await sy("queue", "edit", id, "1", "Much later.")).code).toBe(0);
  expect(JSON.parse((await sy("queue", "ls", id, "--json")).stdout).messages).toMatchObject([
    { content: "Much later." },
  ]);
  expect((await sy("queue", "rm", id, "1")).code).toBe(0);
  expect(await sy("queue", "rm", id, "1")).toMatchObject({ code: 2, stderr: expect.stringContaining("no message 1") });
  expect((await sy("stop", id)).code).toBe(0);
  gate.open();
  expect((await sy("wait", id, "--exit-status")).code).toBe(6);
});

describe("errors", () => {
  test("of the service are sentences for people, and one document for scripts", async () => {
    const people = await sy("new", "x", "-p", "nowhere");
    expect(people).toMatchObject({ code: 1, stdout: "", stderr: "There is no project nowhere.\n→ sy projects\n" });
    const wrong = await sy("new", "x", "-p", project, "--limit=-1");
    expect(wrong.stderr).toMatch(/^spendLimitUsd must be at least 0\.\nRequest id: \S+\n$/);
    const scripts = await sy("api", "POST", `/api/projects/${project}/chat-sessions`, "-F", 'title=""', "--json");
    expect(JSON.parse(scripts.stderr)).toMatchObject({ code: "VALIDATION_ERROR", status: 400, exitCode: 1 });
    const key = { ...env, SWITCHYARD_API_KEY: `svc_key_${"A".repeat(43)}` };
    expect(await sy("ls", { input: "", env: key })).toMatchObject({
      code: 77,
      stderr: expect.stringContaining("sy login"),
    });
  });

  test.each([
    ["an unknown command", ["nonsense"]],
    ["an unknown flag", ["ls", "--nonsense"]],
    ["a missing argument", ["send"]],
    ["no message on stdin", ["new", "-", "-p", "x"]],
    ["no project outside of a checkout", ["new", "text"]],
    ["no session outside of a checkout", ["show"]],
    ["a file of a message that is not there", ["new", "-f", "nowhere.md", "-p", "x"]],
    ["a file of a body that is not there", ["api", "POST", "/api/x", "--input", "nowhere.json"]],
    ["a wrong time", ["wait", "x", "--timeout", "soon"]],
    ["a time without a wait", ["new", "text", "-p", "x", "--timeout", "20m"]],
    ["a message twice", ["new", "text", "-p", "x", "-f", "task.md"]],
  ])("of use exit with 2: %s", async (_, args) => {
    expect(await sy(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/\S/) });
  });
});

test("a title cannot move the cursor, and a closed pipe ends quietly", async () => {
  const id = await start("Nothing to do.", "--title", "\u001b[2JBoo");
  const shown = await sy("show", id, { env: { ...env, CI: "1" } });
  expect(shown.stdout).toContain("␛[2JBoo");
  expect(shown.stdout + shown.stderr).not.toContain("\u001b");
  const following = sy("attach", id, { input: "", until: "> " });
  let isOver = false;
  void following.then(() => {
    isOver = true;
  });
  // Only a write shows that the reader is gone, so there has to be something to write. If the
  // command starts late, its reader sees one of these messages first.
  while (!isOver) await sy("send", id, "More.");
  const { stderr } = await following;
  expect(stderr).toContain("␛[2JBoo");
  expect(stderr).not.toContain("\u001b");
  expect(stderr).not.toContain("EPIPE");
  const events = (await sy("api", "GET", `/api/chat-sessions?ref=${id}`, "-f", "pageSize=1")).stdout;
  expect(JSON.parse(events)).toMatchObject([{ title: "\u001b[2JBoo" }]);
});

test("a body is read from a file", async () => {
  const path = `/api/projects/${project}/chat-sessions`;
  writeFileSync(join(home, "body.json"), JSON.stringify({ title: "From a file", prompt: "Later.", status: "backlog" }));
  const made = await sy("api", "POST", path, "--input", "body.json");
  const { session } = JSON.parse(made.stdout);
  createdSessions.set(session.id, project);
  expect(session.title).toBe("From a file");
});
