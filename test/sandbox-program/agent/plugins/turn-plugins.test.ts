// The hooks, agents and language servers of a turn's plugins, as the transcript shows them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Block } from "../../../../src/chat/rules/block.ts";
import type { GivenPlugin } from "../../../../src/sandbox-protocol/protocol.ts";
import { until } from "../../../support/until.ts";
import { offer, type PluginTestFile } from "../../support/plugins.ts";
import { getOutput, getText, listBlocks } from "../../support/transcript.ts";
import { createScript, startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());

const script = (path: string, content: string): PluginTestFile => ({ path, content, isExecutable: true });
const root = `${"$"}{CLAUDE_PLUGIN_ROOT}`;

/** A hooks file: events with a matcher and a command each. */
const hooks = (...all: [event: string, command: string, more?: { matcher?: string; timeout?: number }][]) => {
  const events: Record<string, unknown[]> = {};
  for (const [event, command, { matcher, timeout } = {}] of all)
    events[event] = [...(events[event] ?? []), { matcher, hooks: [{ type: "command", command, timeout }] }];
  return { path: "hooks/hooks.json", content: JSON.stringify({ hooks: events }) };
};

async function run(steps: unknown[], plugins: GivenPlugin[]) {
  const { service } = await world.runTurn(steps, { plugins });
  const outcome = await service.ended();
  const blocks = listBlocks(service.received);
  const tools = blocks.filter((block) => block.type === "tool");
  return { outcome, blocks, tools, service, named: (name: string) => tools.filter((tool) => tool.name === name) };
}

const completed = { status: "completed" };

test("a hook forbids a command and says why; others run, and no hook has a token", async () => {
  const plugin = await offer(world, "guard", [
    hooks(
      ["PreToolUse", `${root}/guard.sh`, { matcher: "Bash" }],
      ["PostToolUse", "cat > after.json; env > env.txt; echo nothing", { matcher: "edit|bash" }],
    ),
    script(
      "guard.sh",
      "#!/bin/sh\ncat > before.json\nif grep -q 'rm -rf' before.json; then echo 'Deleting is not allowed.' >&2; exit 2; fi\n",
    ),
  ]);
  const { outcome, tools, service } = await run(
    [{ bash: "rm -rf ." }, { bash: "echo fine" }, { say: "Done." }],
    [plugin],
  );
  expect(outcome).toEqual(completed);
  expect(tools).toMatchObject([
    { name: "bash", status: "failed", output: expect.stringContaining("Deleting is not allowed.") },
    { name: "bash", status: "completed", output: "fine\n" },
  ]);
  const read = (name: string) => readFileSync(join(world.program.root, "project", name), "utf8");
  expect(JSON.parse(read("after.json"))).toMatchObject({
    ...{ hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "echo fine" } },
    ...{ cwd: join(world.program.root, "project"), session_id: expect.any(String) },
    tool_response: { output: "fine\n" },
  });
  expect(read("env.txt")).toContain(`CLAUDE_PROJECT_DIR=${join(world.program.root, "project")}`);
  const { start } = await world.newTurn([]);
  for (const token of [start.api.token, start.git.token, start.model.token])
    expect(read("env.txt")).not.toContain(token);
  expect(read("env.txt")).not.toMatch(/SWITCHYARD_API|TOKEN/);
  expect(getText(service.received)).toBe("Done.");
});

test("a hook that hangs, dies or talks nonsense is a note, and the turn continues", async () => {
  const plugin = await offer(world, "broken", [
    hooks(
      ["PreToolUse", "sleep 60", { timeout: 0.3 }],
      ["PreToolUse", "echo no such thing >&2; exit 3"],
      ["PreToolUse", "kill -9 $$"],
      ["PreToolUse", "echo '{'"],
    ),
  ]);
  const { outcome, named } = await run([{ bash: "echo fine" }, { say: "Done." }], [plugin]);
  expect(outcome).toEqual(completed);
  expect(named("bash")).toMatchObject([{ status: "completed", output: "fine\n" }]);
  expect(
    named("hook")
      .map(({ output }) => output?.trim())
      .toSorted(),
  ).toEqual([
    "It exited with 137.",
    "It exited with 3. no such thing",
    "It took longer than 0.3 seconds.",
    "Its answer is no JSON.",
  ]);
  expect(named("hook").every(({ status }) => status === "failed")).toBe(true);
});

test("hooks add to a session's start and a prompt, change what a tool gets, and make the agent continue", async () => {
  const change = { hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: "echo changed" } } };
  const [start = "", rest = ""] = createScript([{ bash: "echo added" }, { say: "One." }]).split(/\n(?=\{"say)/);
  const more = { decision: "block", reason: createScript([{ say: "Two." }]) };
  const goOn = `grep -q '"stop_hook_active":true' || echo '${inQuotes(JSON.stringify(more))}'`;
  const plugin = await offer(world, "adder", [
    hooks(
      // The script is whole only if both are added.
      ["SessionStart", `echo '${inQuotes(start)}'`, { matcher: "startup|resume" }],
      ["UserPromptSubmit", `echo '${inQuotes(JSON.stringify({ hookSpecificOutput: { additionalContext: rest } }))}'`],
      ["PreToolUse", `echo '${JSON.stringify(change)}'`],
      ["Stop", goOn],
    ),
  ]);
  const { outcome, tools, blocks } = await run([{ say: "Never said." }], [plugin]);
  expect(outcome).toEqual(completed);
  expect(tools).toMatchObject([{ name: "bash", output: "changed\n" }]);
  expect(blocks.filter((block): block is Extract<Block, { type: "text" }> => block.type === "text")).toMatchObject([
    { content: "One." },
    { content: "Two." },
  ]);
});

test("a hook forbids a message, or ends the turn after a tool", async () => {
  const forbids = await offer(world, "forbids", [hooks(["UserPromptSubmit", "echo 'Not this.' >&2; exit 2"])]);
  const forbidden = await run([{ bash: "echo never" }], [forbids]);
  expect(forbidden.outcome).toEqual(completed);
  expect(forbidden.blocks).toMatchObject([{ type: "text", content: expect.stringContaining("Not this.") }]);
  const ends = await offer(world, "ends", [hooks(["PreToolUse", `echo '{"continue":false,"stopReason":"Enough."}'`])]);
  const ended = await run([{ bash: "echo never" }, { bash: "echo nor this" }], [ends]);
  expect(ended.outcome).toEqual(completed);
  expect(getText(ended.service.received)).toContain("Enough.");
  expect(getOutput(ended.service.received)).not.toMatch(/never|nor this/);
  expect(ended.named("bash")).toHaveLength(1);
});

test("a stop ends a hook that hangs", async () => {
  const plugin = await offer(world, "hangs", [hooks(["PreToolUse", "touch hangs.txt; sleep 300", { timeout: 600 }])]);
  const { service, start } = await world.runTurn([{ bash: "echo never" }], { plugins: [plugin] });
  await until("the hook", () => existsSync(join(world.program.root, "project", "hangs.txt")));
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(await service.ended()).toEqual({ status: "cancelled" });
});

test("an agent works in a conversation of its own, with the turn's tools and hooks, and its last text is the answer", async () => {
  const plugin = await offer(world, "team", [
    { path: "agents/counter.md", content: "---\nname: counter\ndescription: Counts.\n---\nCount things." },
    {
      path: "agents/reader.md",
      content: "---\nname: reader\ndescription: Reads.\ntools: Read, Grep\n---\nRead things.",
    },
    hooks(["PreToolUse", "grep -q forbidden && { echo 'Not that.' >&2; exit 2; }; exit 0", { matcher: "Bash" }]),
  ]);
  const ask = (name: string, steps: unknown[]) => ({
    tool: { name: "agent", input: { name, prompt: createScript(steps) } },
  });
  const { outcome, named } = await run(
    [
      ask("counter", [{ bash: "echo counted > counted.txt" }, { bash: "echo forbidden > it.txt" }, { say: "Three." }]),
      ask("counter", [ask("counter", [{ say: "Within." }]), { say: "No agent within." }]),
      ask("reader", [{ bash: "echo wrote > reader.txt" }, { say: "Read." }]),
      ask("nobody", [{ say: "Nothing." }]),
      { bash: "cat counted.txt; ls it.txt reader.txt" },
      { say: "Done." },
    ],
    [plugin],
  );
  expect(outcome).toEqual(completed);
  expect(named("agent")).toMatchObject([
    { status: "completed", output: "Three." },
    { status: "completed", output: "No agent within." },
    { status: "completed", output: "Read." },
    { status: "failed", output: expect.stringContaining("There is no agent nobody") },
  ]);
  expect(named("bash")).toMatchObject([{ output: expect.stringMatching(/^counted\n[\s\S]*it.txt[\s\S]*reader.txt/) }]);
});

test("a language server's errors follow a changed file; a missing one is a failed install", async () => {
  const server = (command: string) => ({
    path: ".lsp.json",
    content: JSON.stringify({ words: { command, args: ["--stdio"], extensionToLanguage: { ".words": "words" } } }),
  });
  const plugin = await offer(world, "words", [server(`${root}/server.mjs`), script("server.mjs", practiceServer)]);
  const lacking = await offer(world, "lacking", [server("no-such-server")]);
  const { outcome, named } = await run(
    [
      { write: { path: "a.words", content: "all is well\n" } },
      { write: { path: "b.txt", content: "bad, and none of its kind\n" } },
      { write: { path: "c.words", content: "well\nthis is bad\n" } },
      { say: "Done." },
    ],
    [plugin, lacking],
  );
  expect(outcome).toEqual(completed);
  expect(named("write").map(({ output }) => output)).toEqual([
    expect.not.stringContaining("errors"),
    expect.not.stringContaining("errors"),
    expect.stringContaining("words finds errors:\nc.words:2:9: bad is no word (process 1 of this turn)"),
  ]);
  const reports = world.api.calls.filter(({ method, path }) => method === "PUT" && lacking.url.endsWith(path));
  expect(reports.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { failure: "Its language server words needs the command no-such-server, which is not in this sandbox." },
  ]);
});

/** Text in single quotes of a shell. */
const inQuotes = (text: string) => text.replaceAll("'", "'\\''");

/** A language server that knows one word as an error. */
const practiceServer = `#!/usr/bin/env node
import { appendFileSync, readFileSync } from "node:fs";
appendFileSync("starts.log", "x");
let held = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
};
process.stdin.on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const head = held.indexOf("\\r\\n\\r\\n");
    if (head < 0) return;
    const length = Number(/Content-Length: (\\d+)/.exec(held.subarray(0, head))[1]);
    if (held.length < head + 4 + length) return;
    const message = JSON.parse(held.subarray(head + 4, head + 4 + length));
    held = held.subarray(head + 4 + length);
    if (message.method === "initialize") send({ id: message.id, result: { capabilities: {} } });
    if (message.method !== "textDocument/didOpen") continue;
    const { uri, text } = message.params.textDocument;
    const count = readFileSync("starts.log", "utf8").length;
    const diagnostics = text.split("\\n").flatMap((line, at) => {
      const character = line.indexOf("bad");
      const range = { start: { line: at, character }, end: { line: at, character: character + 3 } };
      return character < 0 ? [] : [{ severity: 1, range, message: "bad is no word (process " + count + " of this turn)" }];
    });
    send({ method: "textDocument/publishDiagnostics", params: { uri, diagnostics } });
  }
});
`;
