// The Slack adapter between a stand-in of Slack and a running service. It starts again for each
// request, so nothing depends on what it remembers.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createClient, createdSessions, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import {
  appUserId,
  createTs,
  openSlack,
  signingSecret,
  signSlack,
  toClickBody,
  toMentionBody,
} from "../support/slack.ts";
import { until } from "../support/until.ts";

const channel = "C0BOARD";
const board = "Board of the Slack test";
let owner: ReturnType<typeof createClient>;
let slack: Awaited<ReturnType<typeof openSlack>>;
let source: string;
let settings: Record<string, string>;
let siblingName: string | undefined;
let hooks: { path: string; secret: string };

/** One request at a time, each in a Worker of its own. */
let last: Promise<unknown> = Promise.resolve();
function ask(path: string, headers: Record<string, string>, body: string | ReadableStream): Promise<number> {
  const answer = last.then(async () => {
    const options = convertV4MiniflareOptions({
      ...{ name: "slack", modules: [{ type: "ESModule", path: "worker.js", contents: source }], bindings: settings },
      ...{ compatibilityDate: "2026-10-15", host: "127.0.0.1", cf: false, telemetry: { enabled: false } },
    });
    const miniflare = new Miniflare(options);
    try {
      const request = { method: "POST", headers, body, duplex: "half" } as const;
      return (await miniflare.dispatchFetch(`http://adapter${path}`, request)).status;
    } finally {
      await miniflare.dispose();
    }
  });
  last = answer.catch(() => {});
  return answer;
}

const edge = createServer(async (request, response) => {
  const body = await text(request);
  // The adapter refuses a body of unknown size. A body that is sent again always has a size here.
  if (request.headers["content-length"] === undefined) response.writeHead(411).end();
  else response.writeHead(await ask(request.url ?? "", request.headers as Record<string, string>, body)).end();
});

beforeAll(async () => {
  await openApiWorld();
  const world = apiWorld();
  owner = createClient(world);
  slack = await openSlack();
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../../adapters/slack/src/worker.ts")],
    ...{ bundle: true, format: "esm", write: false, conditions: ["switchyard-source", "workerd"] },
  });
  source = outputFiles[0]?.text ?? "";
  await new Promise<void>((resolve) => edge.listen(0, "127.0.0.1", resolve));
  const workspace = `/api/organizations/${world.workspaceId}`;
  const url = `http://127.0.0.1:${(edge.address() as AddressInfo).port}/switchyard`;
  const relay = await owner.post(`${workspace}/relay-keys`, { name: "Slack" });
  const hook = await owner.post(`${workspace}/webhooks`, { url, events: ["job.*"] });
  const { webhook, secret } = hook.body.data;
  hooks = { path: `${workspace}/webhooks/${webhook.id}`, secret };
  const sibling = `/api/projects/${world.siblingProjectId}`;
  siblingName = (await owner.get(sibling)).body.data.name;
  expect((await owner.patch(sibling, { name: board })).status).toBe(200);
  settings = {
    ...{ SLACK_SIGNING_SECRET: signingSecret, SLACK_BOT_TOKEN: "xoxb-1", SLACK_API_URL: slack.url },
    ...{ SWITCHYARD_URL: world.baseUrl, SWITCHYARD_RELAY_KEY: relay.body.data.key, SWITCHYARD_WEBHOOK_SECRET: secret },
    PROJECTS: JSON.stringify({ [channel]: world.projectId, CNAMED: board, CNOWHERE: "Nothing like it" }),
  };
});
afterAll(async () => {
  if (hooks) await owner.delete(hooks.path);
  if (siblingName) await owner.patch(`/api/projects/${apiWorld().siblingProjectId}`, { name: siblingName });
  for (const [id, projectId] of createdSessions) await owner.delete(`/api/projects/${projectId}/chat-sessions/${id}`);
  edge.close().closeAllConnections();
  slack?.close();
});

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const sendSlack = (body: string, more: Record<string, string> = json) =>
  ask("/slack", { ...signSlack(body), ...more }, body);
const mention = (words: string, ts: string, event: object = {}, more: Record<string, string> = {}) =>
  sendSlack(toMentionBody(words, { event: { channel, ts, ...event } }), { ...json, ...more });

const placePath = (ts: string) =>
  `/api/projects/${apiWorld().projectId}/places/slack/${encodeURIComponent(`${channel}:${ts}`)}`;
async function sessionOf(ts: string) {
  const { id } = (await owner.get(placePath(ts))).body.data.session;
  createdSessions.set(id, apiWorld().projectId);
  return `/api/projects/${apiWorld().projectId}/chat-sessions/${id}`;
}
const jobsOf = async (path: string) => (await owner.get(`${path}/jobs/chat`)).body.data;
const textsIn = (ts: string) => slack.threadOf(channel, ts).map((message) => message.text);
const untilPosted = (ts: string, words: string) =>
  until(`"${words}" in the thread`, () => slack.threadOf(channel, ts).find((message) => message.text.includes(words)));
/** Until the webhook has nothing more to send. */
const untilQuiet = () => until("no waiting event", async () => (await owner.get(hooks.path)).body.data.waiting === 0);

const options = (...titles: string[]) => titles.map((title) => ({ title, description: "", isRecommended: false }));
const colour = { topic: "Colour", question: "Which <colour> & shade?", options: options("Amber", "White") };

test("a mention, a question that a button answers, and the result", async () => {
  const ts = createTs();
  expect(await mention(script({ ask: { questions: [colour] } }), ts)).toBe(200);
  const path = await sessionOf(ts);
  expect(await untilPosted(ts, "Started")).toMatchObject({ text: expect.stringContaining(`${path}|a session>`) });
  const asked = await untilPosted(ts, "Which &lt;colour&gt; &amp; shade?");
  const { messages } = (await owner.get(`${path}/messages`)).body.data;
  expect(messages[0].author).toEqual({ kind: "relay", sender: { name: "Ada & <Co>", id: "UADA" } });
  expect(messages[0].content).toBe(script({ ask: { questions: [colour] } }));

  const { elements = [] } = asked.blocks.find(({ type }) => type === "actions") ?? {};
  expect(elements.map((element) => element.text.text)).toEqual(["Amber", "White"]);
  expect(await sendSlack(toClickBody(asked, elements[1], { user: "UGRACE" }), form)).toBe(200);
  await until("the answer in the thread", () => asked.text.includes("*White*\nAnswered by <@UGRACE>."));
  expect(asked.blocks.some(({ type }) => type === "actions")).toBe(false);
  const answered = (await owner.get(`${path}/messages`)).body.data.messages.findLast(
    ({ role }: { role: string }) => role === "user",
  );
  expect(answered).toMatchObject({ author: { sender: { id: "UGRACE" } } });
  expect(answered.context?.answers ?? answered.answers).toEqual([{ question: colour.question, option: "White" }]);
  // A second click by somebody else changes nothing.
  expect(await sendSlack(toClickBody(asked, elements[0]), form)).toBe(200);
  expect(asked.text).toBe("This question was answered elsewhere.");
  expect(await jobsOf(path)).toHaveLength(2);

  const next = createTs();
  expect(await mention(script({ say: "Sorted <!channel> & done." }), next, { thread_ts: ts })).toBe(200);
  await untilPosted(ts, "Sorted &lt;!channel&gt; &amp; done.");
  expect(await jobsOf(path)).toHaveLength(3);
});

test("several questions have menus, and one button sends all choices", async () => {
  const ts = createTs();
  const shade = { topic: "Shade", question: "Light or dark?", options: options("Light", "Dark") };
  await mention(script({ ask: { questions: [colour, shade] } }), ts);
  const asked = await untilPosted(ts, "Light or dark?");
  const [send] = asked.blocks.find(({ type }) => type === "actions")?.elements ?? [];
  const chosen = (option: string) => ({ choose: { selected_option: { value: option } } });
  const one = { "question-0": chosen("0"), "question-1": { choose: { selected_option: null } } };
  expect(await sendSlack(toClickBody(asked, send, { state: one }), form)).toBe(200);
  expect(slack.whispers.at(-1)).toMatchObject({ user: "UADA", text: expect.stringContaining("each question") });
  const all = { "question-0": chosen("0"), "question-1": chosen("1") };
  expect(await sendSlack(toClickBody(asked, send, { state: all }), form)).toBe(200);
  expect(asked.text).toContain("*Amber*");
  expect(asked.text).toContain("*Dark*");
});

test("repeats of Slack and of the service do nothing twice", async () => {
  const ts = createTs();
  const words = script({ say: "Once." });
  slack.breakPosts(1);
  expect(await mention(words, ts)).toBe(200);
  for (const repeat of ["1", "2"]) expect(await mention(words, ts, {}, { "x-slack-retry-num": repeat })).toBe(200);
  expect(await mention(`${words} edited`, ts)).toBe(200);
  const path = await sessionOf(ts);
  await untilPosted(ts, "Once.");
  await untilQuiet();
  const { data } = (await owner.get(`${hooks.path}/deliveries?pageSize=100`)).body;
  const [{ id: jobId }, ...others] = await jobsOf(path);
  expect(others).toEqual([]);
  const bodies = await Promise.all(data.map(({ id }: { id: string }) => owner.get(`${hooks.path}/deliveries/${id}`)));
  const ours = bodies.map(({ body }) => body.data).filter(({ body }) => body.includes(jobId));
  expect(ours).toHaveLength(2);
  for (const { id } of ours) expect((await owner.post(`${hooks.path}/deliveries/${id}/resend`)).status).toBe(202);
  await untilQuiet();
  expect(textsIn(ts).toSorted()).toEqual([expect.stringContaining("Once."), expect.stringContaining("Started")]);
});

test("a turn that somebody stops is posted", async () => {
  const ts = createTs();
  const gate = await closedGate();
  await mention(script({ bash: gate.command }), ts);
  const path = await sessionOf(ts);
  const [{ id }] = await jobsOf(path);
  expect((await owner.post(`${path}/jobs/chat/${id}/cancel`)).status).toBe(200);
  await untilPosted(ts, "Stopped: ");
  gate.open();
});

test("a failure is posted, and a session that has ended leaves its thread", async () => {
  const ts = createTs();
  await mention(script({ fail: "unauthorized" }), ts);
  await untilPosted(ts, "This failed: ");
  const path = await sessionOf(ts);
  expect((await owner.put(path, { status: "archived" })).status).toBe(200);
  await mention(script({ say: "In a new session." }), createTs(), { thread_ts: ts });
  await untilPosted(ts, "In a new session.");
  expect(await sessionOf(ts)).not.toBe(path);
});

test("a channel may name its project", async () => {
  const ts = createTs();
  expect(await mention(script({ say: "Here." }), ts, { channel: "CNAMED" })).toBe(200);
  const { siblingProjectId } = apiWorld();
  const place = await owner.get(`/api/projects/${siblingProjectId}/places/slack/${encodeURIComponent(`CNAMED:${ts}`)}`);
  const { id } = place.body.data.session;
  createdSessions.set(id, siblingProjectId);
  await until("the answer", () => slack.threadOf("CNAMED", ts).some((one) => one.text === "Here."));
});

test("what cannot be done is said once in the thread", async () => {
  const [empty, nowhere, unset] = [createTs(), createTs(), createTs()];
  for (const repeat of ["0", "1"]) await mention("", empty, {}, { "x-slack-retry-num": repeat });
  expect(textsIn(empty)).toEqual(["Write what to do after my name."]);
  await mention("Hello.", nowhere, { channel: "CNOWHERE" });
  expect(slack.threadOf("CNOWHERE", nowhere).map((one) => one.text)).toEqual([
    "The project of this channel was not found, or several have its name.",
  ]);
  await mention("Hello.", unset, { channel: "CUNSET" });
  expect(slack.threadOf("CUNSET", unset).map((one) => one.text)).toEqual(["This channel has no project."]);
});

test("a service that does not answer is asked again by Slack, and the last attempt says so", async () => {
  const ts = createTs();
  const url = settings.SWITCHYARD_URL ?? "";
  settings.SWITCHYARD_URL = "http://127.0.0.1:9";
  try {
    expect(await mention("Hello.", ts)).toBe(503);
    expect(textsIn(ts)).toEqual([]);
    expect(await mention("Hello.", ts, {}, { "x-slack-retry-num": "3" })).toBe(200);
    expect(textsIn(ts)).toEqual([expect.stringContaining("Mention me again later.")]);
  } finally {
    settings.SWITCHYARD_URL = url;
  }
});

test.each<[what: string, event: object, rest: object]>([
  ["a bot", { bot_id: "B1" }, {}],
  ["the app itself", { user: appUserId }, {}],
  ["a message that is no mention", { type: "message" }, {}],
  ["an edit of a message", { subtype: "message_changed" }, {}],
  ["a channel that is shared with another company", {}, { is_ext_shared_channel: true }],
])("%s starts nothing", async (_, event, rest) => {
  const ts = createTs();
  expect(await sendSlack(toMentionBody("Hello.", { event: { channel, ts, ...event }, ...rest }))).toBe(200);
  expect((await owner.get(placePath(ts))).status).toBe(404);
  expect(textsIn(ts)).toEqual([]);
});

test("a body of unknown size is refused before it is read, signed or not", async () => {
  const body = toMentionBody(script({ say: "Done." }), { event: { channel, ts: createTs() } });
  const streamed = new Blob([body]).stream();
  expect(await ask("/slack", { ...signSlack(body), ...json }, streamed)).toBe(413);
});

test("what Slack did not sign recently is refused", async () => {
  const ts = createTs();
  const body = toMentionBody("Hello.", { event: { channel, ts } });
  const old = signSlack(body, { at: Date.now() / 1_000 - 400 });
  for (const headers of [signSlack(body, { secret: "another" }), old, signSlack(`${body} `), {}])
    expect(await ask("/slack", { ...json, ...headers }, body)).toBe(401);
  expect((await owner.get(placePath(ts))).status).toBe(404);
});

test("an event that the service did not sign recently is refused, and the metadata of a session is no proof", async () => {
  const ts = createTs();
  const metadata = { slack: `${channel}:${ts}` };
  const { id, path, jobId } = await owner.createSession({
    title: "Not there",
    content: script({ say: "x" }),
    metadata,
  });
  await owner.jobUntil(path, jobId);
  const data = { projectId: apiWorld().projectId, sessionId: id, jobId, jobNumber: 1, sessionUrl: "https://x" };
  const body = JSON.stringify({ type: "job.completed", timestamp: new Date().toISOString(), data });
  const sign = (secret: string, at = new Date()) => ({
    ...{ "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)) },
    "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
  });
  const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
  const old = sign(hooks.secret, new Date(Date.now() - 400_000));
  for (const headers of [sign(other), old, {}]) expect(await ask("/switchyard", headers, body)).toBe(401);
  expect(await ask("/switchyard", sign(hooks.secret), body)).toBe(204);
  expect(textsIn(ts)).toEqual([]);
});
