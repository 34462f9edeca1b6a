// A session's page in each state that a turn can be in, from fixtures: wide and narrow, light and
// dark, it is accessible, and nothing is cut off. A sandbox would need minutes for all of them.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../packages/client/src/generated/api.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type OpenedSession } from "../support/client.ts";
import { expectFit, openConsole } from "../support/console-page.ts";

type Block = Schemas["Block"];
type Job = Schemas["Job"];
type Message = Schemas["Message"];

const world = apiWorld();
const owner = createClient(world);
const visit = openConsole(world);

const at = "2026-11-25T10:00:00.000Z";
const jobId = "00000000-0000-7000-8000-000000000001";
const unbroken = "an-unbroken-name-".repeat(20);
const author = {
  type: "user",
  userId: world.users.owner.id,
  name: "Olive Owner",
  email: "o@example.com",
  imageUrl: null,
};

const text = (content: string): Block => ({ type: "text", content });
const tool = (title: string, more: Partial<Schemas["ToolBlock"]> = {}): Block => ({
  ...{ type: "tool", name: "bash", title, input: { command: title }, output: "Done.", fullOutputBytes: null },
  ...{ status: "completed", startedAt: at, completedAt: at, ...more },
});
const plan: Block = {
  type: "plan",
  items: [
    { title: "Read the board", status: "completed" },
    { title: `Sort ${unbroken}`, status: "in_progress" },
    { title: "Test it", status: "pending" },
  ],
};
const options = ["By time", "By line", "By platform", `By ${unbroken}`].map((title, place) => ({
  ...{ title, description: `It sorts ${title.toLowerCase()}.`, isRecommended: place === 0 },
}));

function message(more: Partial<Message>): Message {
  const common = { content: null, blocks: [], jobId, delivery: null, author: null, attachments: [], createdAt: at };
  return { ...common, id: crypto.randomUUID(), role: "assistant", ...more };
}
const asked = (delivery: "job" | "steer", content: string, more: Partial<Message> = {}) =>
  message({ role: "user", delivery, content, author: author as Message["author"], ...more });

let session: OpenedSession;
let page: Page;
beforeAll(async () => {
  session = await owner.createSession({ title: "On a stage" });
  ({ page } = await visit("/account", "owner", { viewport: { width: 1_280, height: 800 } }));
});
afterAll(async () => page.context().close());

/** Opens the session with one turn in a state. What else is read, the service answers. */
async function stage(job: Partial<Job>, messages: Message[], queue?: Schemas["Queue"]): Promise<void> {
  const { lastEventId } = (await owner.get(`${session.path}/messages?limit=200`)).body.data;
  const shown = {
    ...{ id: jobId, jobNumber: 1, status: "running", error: null, errorCode: null, usage: null, result: null },
    ...{ boot: null, createdAt: at, startedAt: at, completedAt: null, ...job },
  };
  const answers = { "messages?*": { messages, lastEventId }, "jobs/chat?*": [shown], ...(queue ? { queue } : {}) };
  await page.unrouteAll();
  for (const [path, data] of Object.entries(answers))
    await page.route(`**${session.path}/${path}`, (route) => route.fulfill({ json: { data } }));
  await page.goto(`${world.baseUrl}/s/${session.id}`);
  await page.getByRole("feed").getByRole("article").waitFor();
}

const question = "Sort the departures.";

test("pending: the step of the sandbox's start, and the last lines of the setup", async () => {
  const steps: NonNullable<Job["boot"]>["steps"] = [
    { name: "machine", status: "completed", detail: null, startedAt: at, completedAt: at },
    { name: "checkout", status: "running", detail: "2 of 3", startedAt: at, completedAt: null },
  ];
  const boot = { steps, logEnd: `added 214 packages\n${unbroken}\n` };
  await stage({ status: "pending", startedAt: null, boot }, [asked("job", question)]);
  await page.getByText("Checking out the branch").first().waitFor();
  await page.getByText("added 214 packages").waitFor();
  await expectFit(page);
});

test("running: the plan is pinned, the newest tool shows its last lines, and a steer is marked", async () => {
  const output = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
  await stage({}, [
    asked("job", question),
    message({ blocks: [plan, text("I look at it."), tool("ls")] }),
    asked("steer", `Not so, but ${unbroken}.`),
    message({
      firstBlockIndex: 3,
      blocks: [tool(`npm test ${unbroken}`, { status: "running", output, completedAt: null })],
    }),
  ]);
  await page.getByRole("region", { name: "Plan" }).waitFor();
  await page.getByText("line 29").waitFor();
  expect(await page.getByText("line 21\n").count()).toBe(0);
  await page.getByText("Not so, but").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await expectFit(page);
});

test("awaiting an answer: each question with its options, the recommended one first", async () => {
  const questions = ["Which order?", `Which ${unbroken}?`].map((words) => ({
    topic: "Order",
    question: words,
    options,
  }));
  const asks: Block = { type: "clarification", clarificationData: { questions } };
  await stage({ status: "awaiting_response", completedAt: at }, [
    asked("job", question),
    message({ blocks: [text("One thing first."), asks] }),
  ]);
  await expect.poll(() => page.getByRole("radio").count()).toBe(8);
  await expectFit(page);
});

test.each<[errorCode: string | null, step: string]>([
  ["context_window_exceeded", "Start fresh with the conversation"],
  ["subscription_expired", "Check your logins"],
  [null, "Send again…"],
])("failed with %s: the failed tool is open, and the step that helps is %s", async (errorCode, step) => {
  const failed = tool("npm test", { status: "failed", output: `not ok 1\n${unbroken}` });
  await stage({ status: "failed", error: `It failed: ${unbroken}.`, errorCode, completedAt: at }, [
    asked("job", question),
    message({ blocks: [tool("ls"), failed] }),
  ]);
  await page.getByText("It failed:").first().waitFor();
  await page.getByText("not ok 1").first().waitFor();
  await page.getByText(step, { exact: true }).waitFor();
  await page
    .getByRole("article")
    .getByRole("button", { name: `Turn ${jobId}` })
    .waitFor();
  await expectFit(page);
});

test("cancelled before its first step: between the message and the foot, there is nothing", async () => {
  await stage({ status: "cancelled", completedAt: at }, [asked("job", question)]);
  const article = page.getByRole("feed").getByRole("article");
  await article.getByRole("link", { name: "Turn 1" }).waitFor();
  expect(await article.locator("> div > div:visible, > div:visible").filter({ hasNotText: /./ }).count()).toBe(0);
});

test("cancelled: Up next names its pause, and holds the untaken steer", async () => {
  const can = { edit: true, move: true, steer: true, delete: true };
  const waiting: Schemas["QueuedMessage"] = {
    ...{ id: crypto.randomUUID(), content: `Then ${unbroken}`, author, attachments: [], context: {}, version: 1 },
    ...{ position: 0, editingBy: null, createdAt: at, can },
  };
  await stage(
    { status: "cancelled", completedAt: at },
    [asked("job", question), message({ blocks: [text("Half of"), tool("npm test", { status: "cancelled" })] })],
    { messages: [waiting], paused: { reason: "cancelled", pausedAt: at } },
  );
  await page.getByRole("region", { name: "Up next" }).getByRole("button", { name: "Resume" }).waitFor();
  await expectFit(page);
});

test("completed: what was sent along, the change, a long output, artifacts and filed sessions", async () => {
  const file = { id: crypto.randomUUID(), name: `${unbroken}.png`, mediaType: "image/png", byteSize: 48_213 };
  const context = {
    previewContext: { frontendName: "web", path: `/${unbroken}` },
    diffCommentIds: [crypto.randomUUID(), crypto.randomUUID()],
    answers: [{ question: "Which order?", option: "By time" }],
  };
  const output = Array.from({ length: 2_310 }, (_, line) => `line ${line}`).join("\n");
  const edit = { path: `src/${unbroken}.js`, edits: [{ oldText: "rows.reverse();", newText: `sort(${unbroken});` }] };
  const artifacts = (["markdown", "html", "image", "video"] as const).map(
    (kind, place): Block => ({
      ...{ type: "artifact", artifactId: crypto.randomUUID(), slug: `a-${kind}`, kind },
      ...{ title: `The ${kind} ${unbroken}`, version: place + 1 },
    }),
  );
  const filed: Block = {
    type: "filed_sessions",
    sessions: [{ sessionId: session.id, projectId: world.projectId, title: `Later: ${unbroken}` }],
  };
  const usage = { inputTokens: 18_250, cachedTokens: 42_000, outputTokens: 1_310, costUsd: 0.1076, payer: "workspace" };
  await stage({ status: "completed", completedAt: at, usage: usage as Job["usage"] }, [
    asked("job", `${question}\n\n${"A long line. ".repeat(300)}`, {
      ...{ context, attachments: [{ ...file, path: `${session.path}/attachments/${file.id}` }] },
    }),
    message({
      blocks: [
        tool("edit board.js", { name: "edit", input: edit }),
        text("It **sorts**.\n\n| Line | Platform |\n|---|---|\n| U1 | 2 |\n\n```js\nsort(rows);\n```"),
        tool("npm test", { output, fullOutputBytes: 90_000 }),
        ...artifacts,
        filed,
        text(`[A link](https://example.com/${unbroken}), and ${unbroken}.`),
      ],
    }),
  ]);
  await page.getByRole("button", { name: /npm test/ }).click();
  await page.getByText("line 39", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: /edit board\.js/ }).click();
  await page.getByRole("region", { name: "Change" }).waitFor();
  // A link in a row far below the window is words only.
  await page.evaluate('document.querySelector("[role=feed]").parentElement.scrollTo(0, 1e6)');
  await page.getByText("62 k tokens").waitFor();
  await page.getByRole("link", { name: /Later:/ }).waitFor();
  await expectFit(page);
});
