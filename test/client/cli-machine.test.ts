// The command line around its commands: checks, completion, updates, any call of the API, and
// how it ends.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { version } from "../../package.json";
import { findNamedKind, listCandidates } from "../../packages/cli/src/completion.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { openTerminal, program, type Terminal } from "./support/terminal.ts";

let terminal: Terminal;
const sy: Terminal["sy"] = (...given) => terminal.sy(...given);
const unknownKey = `svc_key_${"A".repeat(43)}`;

beforeAll(openApiWorld);
beforeEach(() => {
  terminal = openTerminal(apiWorld());
});

test("doctor checks the service, the key and the stream, and ends at the first that fails", async () => {
  const good = await sy("doctor");
  expect(good.code).toBe(0);
  expect(good.stdout).toMatch(
    /^ok {2,}git .*\nok {2,}service .*\nskipped {2}clock .*no time.*\nok {2,}key .*Olive.*\nok {2,}stream {3}events/,
  );
  const wrong = await sy("doctor", "--json", { env: { ...terminal.env, SWITCHYARD_API_KEY: unknownKey } });
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.stdout).at(-1)).toMatchObject({ name: "key", isGood: false });
});

test("a command says that another version is served: each time for another first number, else once a day", async () => {
  let served = "99.0.0";
  const service = createServer(({ url }, response) => {
    const data = url === "/api/meta" ? { version: served, cli: { version: served, url: "" } } : [];
    const meta = { pagination: { page: 1, totalPages: 1, pageSize: 100, total: 0, hasMore: false } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data, meta }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const env = { ...terminal.env, SWITCHYARD_URL: url };
  const said = async (...more: string[]) => (await sy("projects", ...more, { env })).stderr;
  const other = `sy ${version} is not made for ${url}, which serves sy 99.0.0. → sy update\n`;
  expect(await said()).toContain(other);
  expect(await said()).toContain(other);
  expect(await said("--json")).toBe("");
  rmSync(join(terminal.home, ".config/switchyard/served.json"));
  served = version.replace(/\.\d+.*/, ".99.0");
  expect(await said()).toContain(`sy ${version} is old: ${url} serves sy ${served}. → sy update\n`);
  expect(await said()).not.toContain("is old");
  service.close();
});

test("doctor compares the clock with the time of the service, and skips that if it sends none", async () => {
  let date: string | null = null;
  const service = createServer((_, response) => {
    response.sendDate = false;
    if (date !== null) response.setHeader("date", date);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":{"version":"1.0.0"}}');
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const env = { ...terminal.env, SWITCHYARD_URL: url };
  const clockAt = async (time: number | null) => {
    date = time === null ? null : new Date(time).toUTCString();
    const checks: { name: string }[] = JSON.parse((await sy("doctor", "--json", { env })).stdout);
    return checks.find(({ name }) => name === "clock");
  };
  expect(await clockAt(null)).toMatchObject({ isGood: true, isSkipped: true });
  expect(await clockAt(Date.now())).toMatchObject({ isGood: true, isSkipped: false });
  const anHourAgo = Date.now() - 3_600_000;
  expect(await clockAt(anHourAgo)).toMatchObject({ isGood: false, isSkipped: false });
  service.close();
});

test("whoami names the service, the person and the workspaces", async () => {
  expect((await sy("whoami")).stdout).toMatch(/owner@example\.com>\n.*SWITCHYARD_API_KEY\nworkspace {2}/);
});

describe("api", () => {
  test("reads all pages of a list as one document", async () => {
    const read = await sy("api", "GET", "/api/projects?pageSize=1", "--paginate");
    const listed: unknown[] = JSON.parse(read.stdout);
    expect(listed.length).toBeGreaterThan(1);
    expect(await sy("api", "GET", "/api/models", "--paginate")).toMatchObject({ code: 2, stdout: "" });
  });

  test("follows a stream until ^C, one event a line", async () => {
    const path = `/api/organizations/${apiWorld().workspaceId}/events`;
    const followed = await sy("api", "GET", path, "--follow", { until: "\n", interrupts: true });
    expect(followed).toMatchObject({ code: 130, stderr: "" });
    expect(JSON.parse(followed.stdout.split("\n")[0] ?? "")).toMatchObject({ type: "reset" });
  });

  test("takes a repeated field as a list, and the text of a file", async () => {
    writeFileSync(join(terminal.home, "title.txt"), "From a file");
    const path = `/api/projects/${terminal.project}/chat-sessions`;
    const made = await sy("api", "POST", path, "-F", "title=@title.txt", "-f", "prompt=x", "-f", "status=backlog");
    const { session } = JSON.parse(made.stdout);
    expect(session.title).toBe("From a file");
    const query = ["-f", "status=backlog", "-f", "status=active", "-f", `ref=${session.id}`];
    expect(JSON.parse((await sy("api", "GET", "/api/chat-sessions", ...query)).stdout)).toHaveLength(1);
    expect((await sy("start", session.id)).code).toBe(0);
    expect(await sy("start", session.id)).toMatchObject({ code: 1, stderr: expect.stringContaining("Request id: ") });
  });
});

test("a refusal has a sentence, the request id and the command that helps", async () => {
  const refused = await sy("ls", { env: { ...terminal.env, SWITCHYARD_API_KEY: unknownKey } });
  expect(refused.stderr).toMatch(/^The credential .*\nSign in with `sy login HOST`.*\nRequest id: \S+\n$/);
});

test("what a session of the Backlog cannot do comes with the command that starts it", async () => {
  const id = await terminal.start("Later.", "--backlog");
  expect(await sy("send", id, "Now.")).toMatchObject({ code: 1, stderr: expect.stringContaining("\n→ sy start ID\n") });
  expect(await sy("checkout", id)).toMatchObject({
    ...{ code: 2, stderr: `This session is in the Backlog.\n→ sy start ${id.slice(-6)}\n` },
  });
});

test("--debug prints requests, and never the key", async () => {
  const { stderr } = await sy("--debug", "projects");
  expect(stderr).toMatch(/^GET http\S+\/api\/projects\?pageSize=100 → 200, request \S+, \d+ ms$/m);
  expect(stderr).not.toContain("svc_key_");
});

test("logout deletes the key here, and revokes it only when asked", async () => {
  const { baseUrl, users } = apiWorld();
  const alone = { env: {} };
  await sy("login", baseUrl, "--key", { input: `${users.member.apiKey}\n`, ...alone });
  expect((await sy("logout", alone)).stdout).toContain("It works until you revoke it");
  expect(await sy("logout", alone)).toMatchObject({ code: 77 });
  expect((await sy("whoami", { env: { ...terminal.env, SWITCHYARD_API_KEY: users.member.apiKey } })).code).toBe(0);
});

test("a repository names its service and its project, and gets only a key that was kept for it", async () => {
  const { baseUrl, users } = apiWorld();
  const cwd = join(terminal.home, "repository");
  mkdirSync(join(cwd, "below"), { recursive: true });
  const file = join(cwd, ".switchyard.json");
  writeFileSync(file, JSON.stringify({ host: baseUrl, project: terminal.project }));
  const there = { env: {}, cwd: join(cwd, "below") };
  const without = await sy("whoami", there);
  expect(without).toMatchObject({ code: 77, stderr: expect.stringContaining("which .switchyard.json names") });
  const keyOnly = { ...there, env: { SWITCHYARD_API_KEY: users.owner.apiKey } };
  expect(await sy("whoami", keyOnly)).toMatchObject({ code: 2, stderr: expect.stringContaining("SWITCHYARD_URL") });
  expect(await sy("login", "--credential", "exit 1", there)).toMatchObject({ code: 77, stdout: "" });
  const printsKey = `printf %s ${users.member.apiKey}`;
  expect(await sy("login", "--credential", printsKey, there)).toMatchObject({ code: 0 });
  expect((await sy("whoami", there)).stdout).toContain("Mia Member");
  const backlog = await sy("new", "Of the file.", "--backlog", "--json", there);
  expect(JSON.parse(backlog.stdout).projectId).toBe(terminal.project);
  writeFileSync(file, "{");
  expect(await sy("whoami", there)).toMatchObject({ code: 2, stderr: `${file} is not JSON.\n` });
});

test("update replaces the program by the one that the service serves", async () => {
  const own = join(terminal.home, "sy");
  copyFileSync(program, own);
  writeFileSync(own, `${readFileSync(own, "utf8")}\n// an older one\n`);
  expect((await sy("update", { program: own })).stdout).toContain(`${own} is replaced`);
  expect(readFileSync(own, "utf8")).not.toContain("an older one");
  expect((await sy("update", { program: own })).stdout).toMatch(/^sy \S+ is what http/);
});

test("mcp bridges a client of stdio to the service", async () => {
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`;
  const { result } = JSON.parse((await sy("mcp", { input })).stdout);
  expect(result.tools.map(({ name }: { name: string }) => name)).toContain("start_session");
  const refused = await sy("mcp", { input, env: { ...terminal.env, SWITCHYARD_API_KEY: unknownKey } });
  expect(JSON.parse(refused.stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("credential") },
  });
});

describe("completion", () => {
  it.each([
    [["cr"], ["cron"]],
    [
      ["cron", "ru"],
      ["run", "runs"],
    ],
    [["usage", "--by", "mem"], ["member"]],
    [["ls", "--need"], ["--needs-you"]],
    [["nonsense", "whoa"], ["whoami"]],
    [["comp"], ["completion"]],
    [["completion", "z"], ["zsh"]],
    [["ls", "--status", "ac"], ["active"]],
    [["queue", "rm", "x", ""], []],
  ])("of %j has %j", (words, candidates) => {
    expect(listCandidates(createProgram().program, words)).toEqual(candidates);
  });

  it.each([
    [["attach", ""], "session"],
    [["queue", "rm", ""], "session"],
    [["--json", "send", "--model", "x", "ab"], "session"],
    [["send", "ab", ""], null],
    [["new", "-p", ""], "project"],
    [["new", ""], null],
    [["show", "-"], null],
    [["cron", "new", "-m", ""], null],
  ] as const)("of %j asks the service for names of: %s", (words, kind) => {
    expect(findNamedKind(createProgram().program, words)).toBe(kind);
  });

  test("has the names of sessions and projects, and no errors", async () => {
    const id = (await terminal.start("Nothing to do.")).slice(-6);
    const complete = async (...words: string[]) => (await sy("complete", "--", ...words)).stdout.trim().split("\n");
    expect(await complete("attach", id)).toEqual([id]);
    expect(await complete("show", "")).toContainEqual(expect.stringMatching(new RegExp(`^svc/.*${id}$`)));
    expect(await complete("new", "-p", "acme/demo")).toContain("acme/demo-app");
    const env = { ...terminal.env, SWITCHYARD_API_KEY: unknownKey };
    expect(await sy("complete", "--", "show", "", { env })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("is asked for by the script of a shell", async () => {
    for (const shell of ["bash", "zsh", "fish"])
      expect((await sy("completion", shell)).stdout).toContain("sy complete -- ");
    expect((await sy("complete", "--", "whoa")).stdout).toBe("whoami\n");
    expect((await sy("completion", "tcsh")).code).toBe(2);
  });
});
