// A stand-in of Slack: the methods of its API that the adapter calls, and the requests that Slack
// sends, signed.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface SlackMessage {
  channel: string;
  ts: string;
  thread_ts: string | undefined;
  text: string;
  /** As the app sent them; empty without any. */
  blocks: { block_id?: string; type: string; text?: { text: string }; elements?: SlackElement[] }[];
  metadata: unknown;
}

export interface SlackElement {
  type: string;
  action_id: string;
  value: string;
  text: { text: string };
}

export const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
export const appUserId = "U0APP";
const team = "T0001";
const firstTs = 1_764_000_000;

/** Starts the stand-in. */
export async function openSlack() {
  const messages: SlackMessage[] = [];
  const whispers: { channel: string; user: string; text: string }[] = [];
  const names: Record<string, string> = { UADA: "Ada & <Co>", UGRACE: "Grace" };
  /** How many posts are stored and then answered with a failure. */
  let broken = 0;
  let made = 0;
  const nextTs = () => {
    made += 1;
    return `${Math.floor(Date.now() / 1_000)}.${String(made).padStart(6, "0")}`;
  };

  const methods: Record<string, (given: URLSearchParams) => object> = {
    "chat.postMessage": (given) => {
      const message = {
        ...{ channel: given.get("channel") ?? "", ts: nextTs(), thread_ts: given.get("thread_ts") ?? undefined },
        ...{ text: given.get("text") ?? "", blocks: JSON.parse(given.get("blocks") ?? "[]") },
        metadata: JSON.parse(given.get("metadata") ?? "null"),
      };
      messages.push(message);
      return { ts: message.ts, channel: message.channel };
    },
    "chat.update": (given) => {
      const message = messages.find(({ ts, channel }) => ts === given.get("ts") && channel === given.get("channel"));
      if (!message) return { ok: false, error: "message_not_found" };
      message.text = given.get("text") ?? "";
      message.blocks = JSON.parse(given.get("blocks") ?? "[]");
      return { ts: message.ts };
    },
    "chat.postEphemeral": (given) => {
      const [channel = "", user = "", words = ""] = ["channel", "user", "text"].map((name) => given.get(name) ?? "");
      whispers.push({ channel, user, text: words });
      return { message_ts: nextTs() };
    },
    "conversations.replies": (given) => {
      const all = messages.filter(
        ({ channel, thread_ts, ts }) =>
          channel === given.get("channel") && thread_ts === given.get("ts") && ts >= (given.get("oldest") ?? ""),
      );
      // Small pages, so that a reader of the first one only is noticed.
      const from = Number(given.get("cursor") ?? 0);
      const next = from + 1 < all.length ? String(from + 1) : "";
      return { messages: all.slice(from, from + 1), response_metadata: { next_cursor: next } };
    },
    "users.info": (given) => {
      const name = names[given.get("user") ?? ""];
      return name ? { user: { profile: { display_name: name } } } : { ok: false, error: "user_not_found" };
    },
  };

  const server = createServer(async (request, response) => {
    const name = (request.url ?? "").slice(1);
    const answer = methods[name]?.(new URLSearchParams(await text(request)));
    const isBroken = name === "chat.postMessage" && broken > 0;
    if (isBroken) broken -= 1;
    response.writeHead(isBroken ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ok: answer !== undefined, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    whispers,
    /** The texts that the app has posted in a thread, in their order. */
    threadOf: (channel: string, ts: string) =>
      messages.filter((message) => message.channel === channel && message.thread_ts === ts),
    /** The next posts are stored, and answered with a failure. */
    breakPosts(times: number) {
      broken = times;
    },
    close: () => void server.close().closeAllConnections(),
  };
}

/** A request that Slack sends, with a signature. */
export function signSlack(body: string, { at = Date.now() / 1_000, secret = signingSecret } = {}) {
  const timestamp = String(Math.floor(at));
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

let mentions = 0;
/** The time of a new message. */
export const createTs = () => {
  mentions += 1;
  return `${firstTs + mentions}.000100`;
};

const escapeText = (words: string) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The body of an event: somebody mentions the app. */
export function toMentionBody(words: string, { event = {}, ...rest }: { event?: object; [name: string]: unknown }) {
  return JSON.stringify({
    ...{ type: "event_callback", team_id: team, api_app_id: "A1", event_id: "Ev1" },
    authorizations: [{ team_id: team, user_id: appUserId, is_bot: true }],
    event: { type: "app_mention", user: "UADA", text: `<@${appUserId}> ${escapeText(words)}`, ...event },
    ...rest,
  });
}

/** The body of a click on an element of a message. */
export function toClickBody(
  message: SlackMessage,
  element: SlackElement | undefined,
  { user = "UADA", state = {} }: { user?: string; state?: object } = {},
) {
  const payload = {
    ...{ type: "block_actions", api_app_id: "A1", team: { id: team }, user: { id: user, team_id: team } },
    container: { channel_id: message.channel, message_ts: message.ts, thread_ts: message.thread_ts },
    ...{ channel: { id: message.channel }, actions: [{ ...element, block_id: "answer" }], state: { values: state } },
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}
