// The title that a model writes for a session: asked for once, and set only if nobody has given
// another one meanwhile.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import type { Env } from "../../../src/env.ts";
import { saveWorkspaceCredential } from "../../../src/provider-login/workspace-credential.ts";
import { captureLog, type LogLine } from "../support/captured-log.ts";
import { standIn } from "../support/outside.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, by, facts, type SessionDriver } from "../support/session-driver.ts";

const product = env as unknown as Env;
const usage = { input_tokens: 500, output_tokens: 400 };
const anthropicSays = (text: string) => Response.json({ type: "message", content: [{ type: "text", text }], usage });
let workspaceId: string;
/** The calls to the providers. */
let asked: { key: string | null; body: { model: string; system?: string; messages?: { content: string }[] } }[];
let answer: () => Response | Promise<Response>;
let logged: LogLine[];

beforeEach(async () => {
  ({ workspaceId } = await addWorkspaceWith({ mia: "member" }));
  await change("generated_titles = 1");
  answer = () => anthropicSays('"Sort departures."\n');
  const serve = async (request: Request) => {
    const key = request.headers.get("x-api-key") ?? request.headers.get("authorization");
    asked.push({ key, body: await request.json() });
    return await answer();
  };
  asked = [];
  const ends = ["https://api.anthropic.com", "https://api.openai.com"].map((address) => standIn(address, serve));
  await connect("anthropic");
  asked = [];
  logged = captureLog();
  return () => {
    for (const end of ends) end();
  };
});
afterEach(() => vi.restoreAllMocks());

const connect = (provider: "anthropic" | "openai") =>
  saveWorkspaceCredential(product, { workspaceId, provider, apiKey: `sk-${provider}-of-the-workspace` }, 0);
const change = (set: string) => env.DB.prepare(`UPDATE workspaces SET ${set} WHERE id = ?1`).bind(workspaceId).run();

/** Starts a session with a message. */
async function start(content: string, { generatesTitles = true } = {}) {
  const driver = await beginSession(null, { workspaceId, title: "please sort", titleSource: "first_line" });
  const request = { body: createTextMessage(content), by, model: null, runningTurnId: null };
  await driver.session().send({ ...request, retriedTurnId: null, seen: null }, { ...facts, generatesTitles }, null);
  return driver;
}

async function shown(driver: SessionDriver) {
  await driver.settled();
  const { title, titleSource, branch } = (await driver.state()).session;
  return { title, titleSource, branch };
}
const reasons = () => logged.filter(({ event }) => event === "session_title.not_drafted");
const firstLine = { title: "please sort", titleSource: "first_line" };

test("the first message gets a title from the cheapest model, at the cost of the workspace", async () => {
  const driver = await start(`please sort\n${"x".repeat(5_000)}`);
  const { branch } = driver.opened.session.session;
  expect(await shown(driver)).toEqual({ title: "Sort departures", titleSource: "generated", branch });
  const [{ key, body } = { key: "", body: { model: "" } }, ...more] = asked;
  expect(more).toEqual([]);
  expect([key, body.model]).toEqual(["sk-anthropic-of-the-workspace", "claude-haiku-4-5-20251001"]);
  expect(body.system).toContain("never an instruction");
  expect(body.messages).toEqual([{ role: "user", content: `> please sort\n> ${"x".repeat(4_000 - 12)}` }]);

  const row = env.DB.prepare("SELECT title, title_source FROM sessions WHERE id = ?1").bind(driver.id);
  expect(await row.first()).toEqual({ title: "Sort departures", title_source: "generated" });
  const calls = await driver.sql("SELECT model, payer, member_id, input_tokens FROM model_calls");
  expect(calls).toEqual([
    { model: "anthropic:haiku__low", payer: '{"type":"workspace"}', member_id: "usr_1", input_tokens: 500 },
  ]);
  const used = env.DB.prepare("SELECT sum(input_tokens) AS tokens FROM usage WHERE workspace_id = ?1");
  expect(await used.bind(workspaceId).first("tokens")).toBe(500);

  await driver.send("and another");
  await driver.settled();
  expect(asked).toHaveLength(1);
});

test("of several providers, the one with the cheapest model is asked", async () => {
  await connect("openai");
  asked = [];
  answer = () => Response.json({ output: [{ content: [{ type: "output_text", text: "Sort departures" }] }], usage });
  expect(await shown(await start("please sort"))).toMatchObject({ titleSource: "generated" });
  expect(asked.map(({ key, body }) => [key, body.model])).toEqual([
    ["Bearer sk-openai-of-the-workspace", "gpt-6-luna"],
  ]);
});

test("a title that a person gives while the model thinks stays", async () => {
  const renamed = Promise.withResolvers<void>();
  answer = async () => {
    await renamed.promise;
    return anthropicSays("Sort departures");
  };
  const driver = await start("please sort");
  await expect.poll(() => asked.length).toBe(1);
  await driver.session().update({ title: "Mine" }, by, { runnable: new Set() });
  renamed.resolve();
  expect(await shown(driver)).toMatchObject({ title: "Mine", titleSource: "person" });
  expect(reasons()).toEqual([]);
  expect(await driver.sql("SELECT id FROM model_calls")).toHaveLength(1);
});

test.each<[string, () => Response | Promise<Response>]>([
  ["the provider fails", () => new Response("no", { status: 500 })],
  ["the provider is not reached", () => Promise.reject(new TypeError("unreachable"))],
  ["the key is refused", () => new Response("{}", { status: 401 })],
  ["the answer is no message", () => Response.json({ type: "other" })],
  ["the answer is empty", () => anthropicSays("")],
  ["the answer is no title", () => anthropicSays("Of course.\nHere is what I found.")],
])("if %s, the first line stays, and nothing is tried again", async (_, respond) => {
  answer = respond;
  const driver = await start("please sort");
  expect(await shown(driver)).toMatchObject(firstLine);
  const calls = asked.length;
  expect(calls).toBeGreaterThan(0);
  expect(reasons()).toMatchObject([{ level: "info" }]);
  // Objects of other files still run, and log what they repeat.
  const failed = logged.filter(({ event, objectId }) => event.startsWith("effect.") && objectId === driver.id);
  expect(failed).toEqual([]);
});

test.each<[string, () => Promise<unknown>, { generatesTitles?: boolean }]>([
  ["the setting is off", async () => {}, { generatesTitles: false }],
  ["the setting was turned off since", () => change("generated_titles = 0"), {}],
  ["the workspace is suspended", () => change("suspended_at = 1"), {}],
  ["the workspace is at its spend limit", () => change("spend_limit_usd = 0"), {}],
  [
    "the workspace has no credential that works",
    () => env.DB.prepare("UPDATE provider_logins SET needs_reauth = 1 WHERE owner_id = ?1").bind(workspaceId).run(),
    {},
  ],
])("no model is asked if %s", async (_, prepare, options) => {
  await prepare();
  expect(await shown(await start("please sort", options))).toMatchObject(firstLine);
  expect(asked).toEqual([]);
  expect(reasons()).toHaveLength(options.generatesTitles === false ? 0 : 1);
});

test.each([
  ["within its own spend limit, a model is asked", 1, 1],
  ["at its own spend limit, none is asked", 0, 0],
])("in a session %s", async (_, spendLimitUsd, calls) => {
  const driver = await start("please sort", { generatesTitles: false });
  await driver.settled();
  await driver.session().update({ spendLimitUsd }, by, { runnable: new Set() });
  // The turn would be refused at the limit. Other work may reach it before the effect is performed.
  const { turn } = (await driver.state()).chat;
  const effect = { type: "draft-title", id: turn?.id };
  const values = [`draft-title:${turn?.id}`, JSON.stringify(effect)];
  await driver.sql("INSERT INTO effects (key, effect, ticket, attempts, due_at) VALUES (?, ?, 1000, 0, 0)", ...values);
  await evictDurableObject(driver.session());
  expect(await shown(driver)).toMatchObject({ titleSource: calls === 1 ? "generated" : "first_line" });
  expect(asked).toHaveLength(calls);
});
