// The example that relays a chat, against a running service and a double of Telegram.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Session, Switchyard } from "@switchyard/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { closedGate } from "../support/gate.ts";
import { until } from "../support/until.ts";
import { type RunningExample, startExample } from "./support/example.ts";
import { group, startTelegram, type Telegram, token } from "./support/telegram.ts";

const file = join(tmpdir(), `relay-bot-${process.pid}.txt`);
let sy: Switchyard;
let telegram: Telegram;
let relayKey: string;
let bot: RunningExample;

function startBot(): RunningExample {
  const { baseUrl, projectId } = apiWorld();
  return startExample("relay-bot/bot.mjs", {
    ...{ SWITCHYARD_URL: baseUrl, SWITCHYARD_RELAY_KEY: relayKey, SWITCHYARD_PROJECT_ID: projectId },
    ...{ TELEGRAM_URL: telegram.url, TELEGRAM_TOKEN: token, TELEGRAM_GROUP: String(group), THREADS_FILE: file },
  });
}

beforeAll(async () => {
  await openApiWorld();
  const { baseUrl, users, workspaceId } = apiWorld();
  sy = new Switchyard({ baseUrl, apiKey: users.owner.apiKey });
  telegram = await startTelegram();
  const relayKeys = "POST /api/organizations/{workspaceId}/relay-keys";
  ({ key: relayKey } = await sy.request(relayKeys, { path: { workspaceId }, body: { name: "Bot" } }));
  bot = startBot();
});

afterEach(() => expect(bot.output()).toBe(""));

afterAll(async () => {
  await bot.kill();
  telegram.close();
  rmSync(file, { force: true });
});

/** The session of a thread, as a person finds it. */
async function findSession(thread: number): Promise<Session> {
  return await until(`a session of thread ${thread}`, async () => {
    const found: Session[] = [];
    for await (const session of sy.sessions.list({ metadata: [`thread:${thread}`] })) found.push(session);
    for (const { id, projectId } of found) createdSessions.set(id, projectId);
    expect(found.length).toBeLessThan(2);
    return found[0];
  });
}

const listPosted = (thread: number) => telegram.posted.filter((one) => one.thread === String(thread));
const untilPosted = (thread: number, text: string) =>
  until(`“${text}” in thread ${thread}`, () => listPosted(thread).find((one) => one.text.includes(text)));

async function listSent(session: Session) {
  const { messages } = await session.messages();
  return messages.filter(({ role }) => role === "user");
}

test("a thread is a session, and a message during a turn gets the next one", async () => {
  const gate = await closedGate();
  telegram.write(1, script({ bash: gate.command }, { say: "Sorted." }));
  const session = await findSession(1);
  expect(session.data.filedBy).toEqual({ kind: "relay" });
  const next = telegram.write(1, script({ say: "By time, too." }));
  await until("the message", () => telegram.isHandled(next));
  expect((await session.upNext.list()).messages.length).toBe(1);
  gate.open();
  await untilPosted(1, "By time, too.");
  expect(listPosted(1).map(({ text }) => text)).toEqual(["Sorted.", "By time, too."]);
});

test("a question is buttons, and a press on one answers it once", async () => {
  const options = ["Amber", "White"].map((title) => ({ title, description: title, isRecommended: title === "Amber" }));
  telegram.write(2, script({ ask: { questions: [{ topic: "Colour", question: "Which colour?", options }] } }));
  const { buttons } = await untilPosted(2, "Which colour?");
  expect(buttons.map(({ text }) => text)).toEqual(["Amber", "White"]);
  telegram.press(2, buttons[1]);
  const late = telegram.press(2, buttons[0]);
  await until("both presses", () => telegram.isHandled(late));
  await until("the answer", () => listPosted(2).length === 2);
  const sent = await listSent(await findSession(2));
  expect(sent.length).toBe(2);
  expect(JSON.stringify(sent[1])).toContain("White");
  expect(telegram.confirmed.length).toBe(2);
});

test("a bot that is killed posts what ended meanwhile, and finds its threads again", async () => {
  const gate = await closedGate();
  telegram.write(3, script({ bash: gate.command }, { say: "Done without it." }));
  const session = await findSession(3);
  await until("the turn", async () => (await session.refresh()).data.latestChatJob?.status === "running");
  await bot.kill();
  gate.open();
  expect((await session.wait())?.outcome).toBe("completed");
  bot = startBot();
  await untilPosted(3, "Done without it.");
  const found = telegram.write(3, script({ say: "Found again." }));
  await untilPosted(3, "Found again.");
  expect((await findSession(3)).id).toBe(session.id);
  await until("the message", () => telegram.isHandled(found));
  await bot.kill();
  telegram.repeat(found);
  bot = startBot();
  const next = telegram.write(3, script({ say: "And again." }));
  await untilPosted(3, "And again.");
  await until("both messages", () => telegram.isHandled(next));
  expect(listPosted(3).map(({ text }) => text)).toEqual(["Done without it.", "Found again.", "And again."]);
});

test("what fails or is refused is said in the thread, and strangers get no session", async () => {
  const stranger = telegram.write(4, "Who are you?", 5);
  telegram.write(5, script({ fail: "unauthorized" }));
  await until("an error", () => listPosted(5).length === 1);
  expect(telegram.isHandled(stranger)).toBe(true);
  const session = await findSession(5);
  await session.update({ status: "archived" });
  telegram.write(5, "Anybody there?");
  await until("a refusal", () => listPosted(5).length === 2);
  expect(listPosted(5)[1]?.text).toMatch(/^This session has ended/);
  expect(listPosted(4)).toEqual([]);
  // A session that is deleted meanwhile ends no bot.
  await bot.kill();
  const { id: sessionId, projectId } = session;
  await sy.request("DELETE /api/projects/{projectId}/chat-sessions/{sessionId}", { path: { projectId, sessionId } });
  bot = startBot();
  const handled = telegram.write(6, script({ say: "Still here." }));
  await until("the message", () => telegram.isHandled(handled));
  await untilPosted(6, "Still here.");
  await findSession(6);
});
