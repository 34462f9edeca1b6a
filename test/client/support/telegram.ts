// A double of Telegram's Bot API: the three methods that the example of a relay calls.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Button {
  text: string;
  callback_data: string;
}

export interface Posted {
  thread: string;
  text: string;
  buttons: Button[];
}

export interface Telegram {
  url: string;
  /** What the bot has posted, oldest first. */
  posted: Posted[];
  /** Ids of the presses that the bot has confirmed. */
  confirmed: string[];
  /** Sends a message to the bot, and returns its number. */
  write(thread: number, text: string, chat?: number): number;
  press(thread: number, button: Button | undefined): number;
  /** Sends an update again, as to a bot that crashed before it asked for later ones. */
  repeat(update: number): void;
  /** True once the bot will not get this update again. */
  isHandled(update: number): boolean;
  close(): void;
}

export const group = -100;
export const token = "7:telegram";

/** Starts the double. As Telegram does, it keeps an update until the bot asks for later ones. */
export async function startTelegram(): Promise<Telegram> {
  const posted: Posted[] = [];
  const confirmed: string[] = [];
  let updates: { update_id: number }[] = [];
  const sent = new Map<number, { update_id: number }>();
  let last = 0;
  let arrived = () => {};

  async function call(method: string | undefined, fields: URLSearchParams): Promise<unknown> {
    const field = (name: string) => fields.get(name) ?? "";
    switch (method) {
      case "getUpdates": {
        updates = updates.filter(({ update_id }) => update_id >= Number(field("offset")));
        if (updates.length === 0)
          await new Promise<void>((resolve) => {
            arrived = resolve;
          });
        return updates;
      }
      case "sendMessage": {
        if (field("chat_id") !== String(group) || field("text") === "") return null;
        const { inline_keyboard } = JSON.parse(field("reply_markup")) as { inline_keyboard: Button[][] };
        posted.push({ thread: field("message_thread_id"), text: field("text"), buttons: inline_keyboard.flat() });
        return {};
      }
      case "answerCallbackQuery":
        confirmed.push(field("callback_query_id"));
        return true;
      default:
        return null;
    }
  }

  function repeat(update: number): void {
    updates.push(...[sent.get(update)].filter((one) => one !== undefined));
    arrived();
  }

  function deliver(update: object): number {
    last += 1;
    sent.set(last, { update_id: last, ...update });
    repeat(last);
    return last;
  }

  const server = createServer(async (request, response) => {
    const [, key, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    const result = key === token ? await call(method, new URLSearchParams(await text(request))) : null;
    const refusal = { ok: false, error_code: 400, description: "Bad Request" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(result === null ? refusal : { ok: true, result }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const toMessage = (thread: number, words: string, chat = group) => ({
    message: { chat: { id: chat }, message_thread_id: thread, text: words },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    confirmed,
    write: (thread, words, chat) => deliver(toMessage(thread, words, chat)),
    press: (thread, button) =>
      deliver({
        callback_query: { id: `press-${last + 1}`, data: button?.callback_data, ...toMessage(thread, "Asked") },
      }),
    repeat,
    isHandled: (update) => updates.every(({ update_id }) => update_id > update),
    close: () => server.close().closeAllConnections(),
  };
}
