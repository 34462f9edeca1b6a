import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PracticeProvider, startPracticeProvider } from "../../practice/model-provider/provider.ts";
import { anthropic, type Line, openai, runTurn, script, send } from "./agent.ts";
import { claudeTools, opencodeTools, productTools } from "./tools.ts";

let provider: PracticeProvider;
beforeAll(async () => {
  provider = await startPracticeProvider();
});
afterAll(() => provider.close());

const questions = [{ topic: "T", question: "Q?", options: [{ title: "A", description: "a", isRecommended: true }] }];
const pending = (title: string) => ({ title, status: "pending" });

const steps: [step: object, name: string, input: object][] = [
  [{ write: { path: "a.txt", content: "hi" } }, "write", { path: "a.txt", content: "hi" }],
  [{ bash: "ls" }, "bash", { command: "ls" }],
  [{ plan: ["one", "two"] }, "plan", { items: [pending("one"), pending("two")] }],
  [{ ask: { questions } }, "ask", { questions }],
  [{ artifact: { slug: "a", kind: "markdown" } }, "artifact", { slug: "a", kind: "markdown" }],
  [{ file: { title: "T", prompt: "P" } }, "file_session", { title: "T", prompt: "P" }],
  [{ tool: { name: "open_pull_request", input: { draft: true } } }, "open_pull_request", { draft: true }],
  [{ sleep: 5, bash: "pwd" }, "bash", { command: "pwd" }],
];

const failures = [
  ["context_window_exceeded", [400, "invalid_request_error"], [400, "context_length_exceeded"]],
  ["overloaded", [529, "overloaded_error"], [503, "server_is_overloaded"]],
  ["rate_limited", [429, "rate_limit_error"], [429, "rate_limit_exceeded"]],
  ["unauthorized", [403, "permission_error"], [403, "insufficient_permissions"]],
] as const;

describe.each([
  ["Anthropic Messages", anthropic, 0],
  ["OpenAI Responses", openai, 1],
] as const)("on %s", (_name, wire, column) => {
  const run = (text: string, tools = productTools) => runTurn(provider.url, wire, [{ user: text }], tools);

  test.each(steps)("%j calls its tool, and the turn ends after its result", async (step, name, input) => {
    const [called, ended, ...more] = await run(script(step));
    expect(called?.calls).toMatchObject([{ name, input }]);
    expect(ended?.calls).toEqual([]);
    expect(ended?.texts.join()).not.toBe("");
    expect(more).toEqual([]);
  });

  test("steps are followed in order, one per response, and a text ends the turn only at the end", async () => {
    const replies = await run(
      script(
        { say: "first" },
        { bash: "one" },
        { sleep: 5 },
        { say: "second" },
        { bash: "two" },
        { say: "last" },
        { sleep: 5 },
      ),
    );
    expect(replies.map(({ texts, calls }) => [texts, calls.map((call) => call.input)])).toEqual([
      [["first"], [{ command: "one" }]],
      [["second"], [{ command: "two" }]],
      [["last"], []],
    ]);
  });

  test("a text streams in several pieces, without splitting a character", async () => {
    const said = "Grüße 🚂🚃🚃🚃🚃🚃🚃 aus dem Stellwerk";
    const [reply] = await run(script({ say: said }));
    expect(reply?.texts).toEqual([said]);
    expect(reply?.pieces).toBeGreaterThan(2);
  });

  test("a text is streamed in a piece for each 20 ms", async () => {
    const said = "All aboard. ".repeat(10);
    const [reply] = await run(script({ stream: { text: said, ms: 200 } }));
    expect(reply?.texts).toEqual([said]);
    expect(reply?.pieces).toBeGreaterThanOrEqual(10);
  });

  test("a block may use CRLF line ends", async () => {
    const [called, ended] = await run(script({ bash: "ls" }, { say: "done" }).replaceAll("\n", "\r\n"));
    expect(called?.calls).toMatchObject([{ name: "bash" }]);
    expect(ended?.texts).toEqual(["done"]);
  });

  test("an invalid line is reported in the text, and the script continues", async () => {
    const [first, last] = await run(script("ls -la", { bash: "ls" }, { dance: 1 }, { sleep: "long" }, { say: "done" }));
    expect(first?.texts).toEqual([expect.stringContaining("Line 1 of the practice script is not JSON: ls -la")]);
    expect(first?.calls).toHaveLength(1);
    expect(last?.texts).toEqual([
      expect.stringContaining('Line 3 of the practice script names the unknown step "dance"'),
      expect.stringContaining('Line 4 of the practice script gives "sleep" something it does not take'),
      "done",
    ]);
  });

  test("a tool that is not offered is called by its plain name, and the script continues", async () => {
    const replies = await run(script({ file: { title: "T", prompt: "P" } }, { say: "done" }), opencodeTools);
    expect(replies[0]?.calls).toMatchObject([{ name: "file_session", input: { title: "T", prompt: "P" } }]);
    expect(replies[1]?.texts).toEqual(["done"]);
  });

  test.each(failures)("%s fails in the provider's format, on every attempt", async (failure, ...worded) => {
    const lines: Line[] = [{ user: script({ bash: "ls" }, { fail: failure }, { say: "never" }) }];
    const [, failed] = await runTurn(provider.url, wire, lines, productTools);
    const [status, error] = worded[column];
    expect(failed).toMatchObject({ status, error });
    expect(await send(provider.url, wire, lines, productTools)).toMatchObject({ status, error });
  });

  test("a failure after a text is part of the stream", async () => {
    const [reply] = await run(script({ say: "so far" }, { fail: "overloaded" }));
    expect(reply).toMatchObject({ status: 200, texts: ["so far"], error: failures[1][column + 1]?.[1] });
  });

  test("without a block it looks at the repository once and says that it is practice", async () => {
    const [look, answer, ...more] = await run("Hello");
    expect(look?.calls).toMatchObject([{ name: "bash", input: { command: "ls" } }]);
    expect(answer?.texts.join()).toContain("practice model");
    expect(more).toEqual([]);
  });

  test("without a block and a reading tool, it answers immediately", async () => {
    const replies = await run("Hello", []);
    expect(replies).toHaveLength(1);
    expect(replies[0]?.texts.join()).toContain("practice model");
  });
});

test.each([
  ["opencode", opencodeTools, { write: { path: "a", content: "b" } }, "write", { filePath: "a", content: "b" }],
  ["opencode", opencodeTools, { bash: "ls" }, "bash", { command: "ls", description: "ls" }],
  [
    "opencode",
    opencodeTools,
    { plan: ["one"] },
    "todowrite",
    { todos: [{ content: "one", status: "pending", priority: "one", id: "one" }] },
  ],
  ["Claude", claudeTools, { write: { path: "a", content: "b" } }, "Write", { file_path: "a", content: "b" }],
  ["Claude", claudeTools, { bash: "ls" }, "Bash", { command: "ls" }],
  [
    "Claude",
    claudeTools,
    { plan: ["one"] },
    "TodoWrite",
    { todos: [{ content: "one", status: "pending", activeForm: "one" }] },
  ],
  [
    "Claude",
    claudeTools,
    { file: { title: "T", prompt: "P" } },
    "mcp__board__file_session",
    { title: "T", prompt: "P" },
  ],
])("%s gets a step in the format of its own tools: %#", async (_agent, tools, step, name, input) => {
  const reply = await send(provider.url, anthropic, [{ user: script(step) }], tools);
  expect(reply.calls).toMatchObject([{ name, input }]);
});
