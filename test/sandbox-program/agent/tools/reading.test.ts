// The agent that only reads: whatever it is asked, with any tool, the checkout and the services are
// the same after its turn as before.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCronAgentProfile } from "../../../../src/cron/rules/agent-profile.ts";
import { treeLines } from "../../../support/tree-hash.ts";
import { until } from "../../../support/until.ts";
import { listBlocks } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let root: string;
let project: string;
beforeAll(async () => {
  world = await startWorld();
  root = world.program.root;
  project = join(root, "project");
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/app.ts"), "export const greeting = 'hello';\n");
  writeFileSync(join(project, ".gitattributes"), "* filter=evil diff=evil\n");
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "x", "--allow-empty"], {
    cwd: project,
  });
  execFileSync("git", ["add", "src"], { cwd: project });
  linkOverFolder();
  writeFileSync(join(project, "README.md"), "# Changed\n");
  writeFileSync(join(root, "outside.txt"), "the outside\n");
  symlinkSync(join(root, "outside.txt"), join(project, "link.txt"));
  symlinkSync(root, join(project, "up"));
  hostileConfiguration();
});
afterAll(() => world?.end());

/** A tracked folder is replaced by a link to one outside, with a file of the same name. */
function linkOverFolder(): void {
  mkdirSync(join(project, "replaced/deep"), { recursive: true });
  mkdirSync(join(root, "elsewhere/deep"), { recursive: true });
  writeFileSync(join(project, "replaced/deep/inside.txt"), "tracked\n");
  execFileSync("git", ["add", "replaced"], { cwd: project });
  rmSync(join(project, "replaced"), { recursive: true });
  writeFileSync(join(root, "elsewhere/deep/inside.txt"), "the outside\n");
  symlinkSync(join(root, "elsewhere"), join(project, "replaced"));
}

/** Every setting of the checkout by which git runs a program. Each leaves a file. */
function hostileConfiguration(): void {
  const leaves = (name: string) => `sh -c "touch ${join(root, "tmp", `ran-${name}`)}; cat"`;
  const settings = {
    "filter.evil.clean": leaves("clean"),
    "filter.evil.smudge": leaves("smudge"),
    "filter.evil.required": "true",
    "diff.evil.textconv": leaves("textconv"),
    "diff.evil.command": leaves("driver"),
    "diff.external": leaves("external"),
    "core.fsmonitor": leaves("fsmonitor"),
    "core.pager": leaves("pager"),
    "pager.log": leaves("pager"),
    "log.showSignature": "true",
    "gpg.program": leaves("gpg"),
    "core.sshCommand": leaves("ssh"),
    "pretty.evil": "format:%G? %h",
    "alias.log": `!${leaves("alias")}`,
  };
  for (const [name, value] of Object.entries(settings)) execFileSync("git", ["config", name, value], { cwd: project });
}

const programsRun = () => readdirSync(join(root, "tmp")).filter((name) => name.startsWith("ran-"));
const tool = (name: string, input: object) => ({ tool: { name, input } });
const git = (...args: string[]) => tool("git", { args });
const facts = { projectId: "the-project", projectName: "Demo", cronName: "Nightly", branch: "main" };
const asCronAgent = { profile: createCronAgentProfile(facts) };

/** Runs the steps in a turn that only reads. Answers each call with its outcome. */
async function outcomes(steps: object[]): Promise<string[]> {
  const { service } = await world.runTurn([...steps, { say: "done" }], asCronAgent);
  expect(await service.ended()).toEqual({ status: "completed" });
  return listBlocks(service.received).flatMap((block) =>
    block.type === "tool" ? [`${block.name} ${block.status}: ${block.output ?? ""}`] : [],
  );
}

test("beside a working turn, every tool tried at writing leaves checkout, index and services as they were", async () => {
  const service = { name: "web", command: "echo started as $$; sleep 600", endpoints: [] };
  await world.program.call("PUT", "/services", { services: [service], env: {}, restart: false });
  const log = async () => (await world.program.call("GET", "/services/log?name=web")).body?.log;
  await until("the service runs", async () => String(await log()).includes("started as"));
  const working = await world.runTurn([{ bash: "true" }, { sleep: 10 * 60_000 }]);
  await until("the working turn is past its first command", () =>
    listBlocks(working.service.received).find((block) => block.type === "tool" && block.status === "completed"),
  );
  const before = [treeLines(root, ["project"]), await log()];
  const denied = await outcomes([
    { write: { path: "made.txt", content: "x" } },
    { bash: "touch made.txt; git commit -am x; kill -9 -1" },
    tool("edit", { path: "README.md", edits: [{ oldText: "# Changed", newText: "# Other" }] }),
    tool("ask", { questions: [] }),
    git("add", "."),
    git("commit", "-am", "x"),
    git("branch", "-D", "main"),
    git("checkout", "-b", "new"),
    git("diff", "--output=made.txt"),
    git("-c", "core.pager=touch made.txt", "--paginate", "log"),
    git("diff", "--ext-diff", "--textconv"),
    git("blame", "--textconv", "README.md"),
  ]);
  expect(denied.filter((line) => !line.includes(" failed: "))).toEqual([]);
  const read = await outcomes([
    git("status"),
    git("diff"),
    git("diff", "--cached", "--stat"),
    git("log", "-p", "--format=%G? %s"),
    git("log", "--format=evil"),
    git("show", "HEAD"),
    git("blame", "README.md"),
    git("grep", "hello"),
    git("ls-files", "-m"),
    git("branch", "made"),
    tool("search", { pattern: "hello" }),
    tool("find_files", { pattern: "*.ts" }),
    tool("service_logs", { name: "web" }),
    tool("ls", { path: "." }),
  ]);
  expect(read.filter((line) => !line.includes(" completed: "))).toEqual([]);
  expect([treeLines(root, ["project"]), await log()]).toEqual(before);
  expect(existsSync(join(project, "made.txt"))).toBe(false);
  expect(programsRun()).toEqual([]);
  await world.program.call("POST", `/turns/${working.start.turnId}/stop`);
  await working.service.ended();
});

test("the tools answer what is in the checkout", async () => {
  const answers = await outcomes([
    tool("read", { path: "src/app.ts" }),
    tool("search", { pattern: "gre+ting", glob: "*.ts" }),
    tool("search", { pattern: "HELLO'", ignoreCase: true, literal: true, path: "src" }),
    tool("search", { pattern: "nowhere" }),
    tool("find_files", { pattern: "app.*" }),
    tool("find_files", { pattern: "*.ts", path: "src" }),
    tool("find_files", { pattern: "*.py" }),
    git("status", "--porcelain"),
    tool("service_logs", {}),
  ]);
  expect(answers).toEqual([
    expect.stringContaining("export const greeting"),
    "search completed: src/app.ts:1:export const greeting = 'hello';\n",
    "search completed: src/app.ts:1:export const greeting = 'hello';\n",
    "search completed: No line matches.",
    "find_files completed: src/app.ts",
    "find_files completed: src/app.ts",
    "find_files completed: No file matches.",
    expect.stringContaining("A  src/app.ts"),
    "service_logs completed: web: has no endpoint",
  ]);
});

test("no tool reads outside the checkout, nor through a link", async () => {
  const answers = await outcomes([
    tool("read", { path: "link.txt" }),
    tool("read", { path: "up/outside.txt" }),
    tool("read", { path: "../outside.txt" }),
    tool("read", { path: join(root, "outside.txt") }),
    tool("read", { path: "/etc/hostname" }),
    tool("ls", { path: "up" }),
    tool("ls", { path: ".." }),
    tool("search", { pattern: "outside", path: "up" }),
    tool("search", { pattern: "outside", path: "link.txt" }),
    tool("find_files", { pattern: "*", path: "up" }),
    git("blame", "up/outside.txt"),
    git("diff", "--", "link.txt", "up/outside.txt"),
    git("grep", "outside", "--", "up"),
    tool("artifact", { slug: "a", title: "A", kind: "markdown", path: "link.txt" }),
  ]);
  expect(answers.filter((line) => !line.includes(" failed: "))).toEqual([]);
  const without = await outcomes([
    tool("find_files", { pattern: "../*" }),
    tool("search", { pattern: "the outside" }),
    git("grep", "--untracked", "the outside"),
    git("grep", "the outside"),
    git("grep", "-e", "--cached", "--or", "-e", "the outside"),
    git("grep", "the outside", "--", ":(literal)replaced/deep/inside.txt"),
    git("diff", "--", ":(glob)replaced/**"),
    tool("search", { pattern: "the outside", glob: "replaced/**" }),
  ]);
  expect(without.join()).not.toMatch(/txt:the outside|\+the outside/);
  expect(without.join()).not.toContain("outside.txt:");
  expect(answers.join()).not.toContain("the outside");
});

test("an error names the path that was asked, not where it is on the machine", async () => {
  const answers = await outcomes([
    tool("read", { path: "../outside.txt" }),
    tool("read", { path: "../nowhere/outside.txt" }),
    tool("read", { path: "src/nowhere.ts" }),
    tool("ls", { path: "../elsewhere" }),
    tool("ls", { path: "src/app.ts" }),
    tool("artifact", { slug: "a", title: "A", kind: "markdown", path: "../outside.txt" }),
  ]);
  expect(answers).toEqual([
    "read failed: EACCES: permission denied, open '../outside.txt'",
    "read failed: EACCES: permission denied, open '../nowhere/outside.txt'",
    "read failed: ENOENT: no such file or directory, open 'src/nowhere.ts'",
    "ls failed: Path not found: ../elsewhere",
    "ls failed: Not a directory: src/app.ts",
    "artifact failed: EACCES: permission denied, open '../outside.txt'",
  ]);
});

test("a prompt that calls a skill from elsewhere is filed word for word, and no model is asked", async () => {
  const prompt = "/svc:open-pr -d  für\tdie Nacht 🌙 \n\n";
  const session = { id: "session-1", title: "/svc:open-pr -d", projectId: "the-project" };
  const calls = world.api.calls.length;
  world.api.answers.push({ status: 201, body: JSON.stringify({ data: { session } }) });
  const { service } = await world.runTurn(prompt, {
    skill: { name: "svc:open-pr", argument: "-d" },
    profile: createCronAgentProfile(facts, ["svc:open-pr"]),
    model: { ...(await world.newTurn("x")).start.model, baseUrl: "http://127.0.0.1:1/anthropic" },
  });
  expect(await service.ended()).toEqual({ status: "completed" });
  const filed = world.api.calls.slice(calls);
  expect(filed.map(({ body }) => JSON.parse(String(body)))).toEqual([{ prompt, status: "backlog" }]);
  expect(listBlocks(service.received)).toEqual([
    { type: "filed_sessions", sessions: [{ sessionId: "session-1", projectId: "the-project", title: session.title }] },
    { type: "text", content: expect.stringContaining("word for word") },
  ]);
});

test("a filed session carries the model and the priority that the agent names", async () => {
  const calls = world.api.calls.length;
  const session = { id: "session-2", title: "T", projectId: "the-project" };
  world.api.answers.push({ status: 201, body: JSON.stringify({ data: { session } }) });
  const input = { title: "T", prompt: "P", model: "anthropic/claude-opus-4.6/high", priority: "urgent" };
  await outcomes([tool("file_session", input)]);
  expect(JSON.parse(String(world.api.calls[calls]?.body))).toEqual({ ...input, status: "backlog" });
});
