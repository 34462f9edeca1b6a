// A bot in a Telegram group: each topic is a session, and the agent's questions have buttons.
// It ends if Telegram or the service stays away. Start it again: it continues where it was.
import { appendFileSync, readFileSync } from "node:fs";
import { Switchyard, SwitchyardError } from "@switchyard/client";

const { TELEGRAM_URL = "https://api.telegram.org", THREADS_FILE = "threads.txt", ...env } = process.env;
const sy = new Switchyard({ baseUrl: env.SWITCHYARD_URL, apiKey: env.SWITCHYARD_RELAY_KEY, client: "relay-bot/1.0" });
// A relay cannot list sessions. A line has a thread, its session, and the last event posted.
const lines = readFileSync(THREADS_FILE, { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
const threads = new Map(lines.map((line) => [line.split(" ", 1)[0], line]));
function remember(thread, sessionId, eventId = "") {
  threads.set(thread, `${thread} ${sessionId} ${eventId}`);
  appendFileSync(THREADS_FILE, `${threads.get(thread)}\n`);
}

async function telegram(method, fields) {
  const init = { method: "POST", body: new URLSearchParams(fields) };
  const response = await fetch(`${TELEGRAM_URL}/bot${env.TELEGRAM_TOKEN}/${method}`, init);
  const { ok, result, error_code, description } = await response.json();
  // A bad request, such as a message to a deleted topic, stays one. The rest may work later.
  if (!ok && error_code !== 400) throw new Error(`${method}: ${description}`);
  return result;
}

async function say(thread, text, buttons = []) {
  const fields = { chat_id: env.TELEGRAM_GROUP, message_thread_id: thread, text: text.slice(0, 4_000) };
  await telegram("sendMessage", { ...fields, reply_markup: JSON.stringify({ inline_keyboard: buttons }) });
}

/** Posts how each turn of a thread ends, also turns that other people start. */
async function follow(thread) {
  const [, sessionId, lastEventId] = threads.get(thread).split(" ");
  const forget = (error) => (error.status === 404 ? null : Promise.reject(error));
  const session = await sy.sessions.get(sessionId).catch(forget);
  for await (const { id, type, data } of session?.follow({ lastEventId }) ?? []) {
    if (type !== "end" || data.deleted) continue;
    const { outcome, text, error, questions = [] } = await session.getTurn(data.jobId).result();
    const said = [text || outcome, error, ...questions.map(({ question }) => question)];
    // Several questions are answered by a message, with a line for each.
    const { options } = questions.length === 1 ? questions[0] : { options: [] };
    const buttons = options.map(({ title }, place) => [{ text: title, callback_data: `${data.jobId} ${place}` }]);
    await say(thread, said.filter(Boolean).join("\n\n"), buttons);
    remember(thread, sessionId, id);
  }
}

/** Sends what somebody wrote or pressed. Under its key, a repeat after a crash is sent once. */
async function handle(thread, text, press, idempotencyKey) {
  if (!threads.has(thread)) {
    const about = { metadata: { thread }, title: text.slice(0, 80), spendLimitUsd: 5 };
    const { id } = await sy.sessions.create({ project: env.SWITCHYARD_PROJECT_ID, ...about, idempotencyKey });
    remember(thread, id);
    follow(thread);
  }
  const session = await sy.sessions.get(threads.get(thread).split(" ")[1]);
  if (!press) return await session.send(text, { idempotencyKey });
  const [jobId, place] = press.data.split(" ");
  if (jobId === session.data.latestChatJob.id)
    await session.answer([{ question: 0, option: Number(place) }], "", { idempotencyKey });
  await telegram("answerCallbackQuery", { callback_query_id: press.id });
}

for (const thread of threads.keys()) follow(thread);
for (let offset = 0; ; )
  for (const { update_id, message, callback_query: press } of await telegram("getUpdates", { offset, timeout: 50 })) {
    const { chat, message_thread_id: thread, text } = message ?? press?.message ?? {};
    // Anybody can write to a bot.
    if (String(chat?.id) === env.TELEGRAM_GROUP && thread && text)
      await handle(String(thread), text, press, `telegram-${update_id}`).catch((error) => {
        if (!(error instanceof SwitchyardError)) throw error;
        return say(thread, error.message);
      });
    offset = update_id + 1;
  }
