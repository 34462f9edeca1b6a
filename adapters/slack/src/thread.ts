// A thread in Slack, which is the place of a session. The adapter stores nothing: each of its
// messages has a key in its metadata, so that the thread itself says what has been posted.
import type { AnyMessageBlock, SlackAPIClient } from "slack-edge";

export interface Thread {
  channel: string;
  /** The time of its first message, which is its id. */
  ts: string;
}

/** The kind of place of a thread. It is also the key of a session's metadata. */
export const placeKind = "slack";

/** The id of a thread as a place. */
export const toPlaceId = ({ channel, ts }: Thread): string => `${channel}:${ts}`;

/** The thread of a place's id; null for another text. */
export function fromPlaceId(id: string): Thread | null {
  const [, channel, ts] = /^([A-Z0-9]+):(\d+\.\d+)$/.exec(id) ?? [];
  return channel && ts ? { channel, ts } : null;
}

interface Post {
  /** Names what the message is about. A thread gets it once. */
  key: string;
  /** A time before the first attempt, in seconds since the epoch. */
  since: number;
  text: string;
  blocks?: AnyMessageBlock[];
}

const eventType = "switchyard";
/** Clocks differ. */
const marginSeconds = 60;

/** Posts a message in a thread, unless the thread has it already. */
export async function publishOnce(slack: SlackAPIClient, thread: Thread, { key, since, text, blocks }: Post) {
  if (await isPosted(slack, thread, key, since)) return;
  await slack.chat.postMessage({
    ...{ channel: thread.channel, thread_ts: thread.ts, text },
    ...(blocks && { blocks }),
    metadata: { event_type: eventType, event_payload: { key } },
    unfurl_links: false,
    unfurl_media: false,
  });
}

async function isPosted(slack: SlackAPIClient, { channel, ts }: Thread, key: string, since: number): Promise<boolean> {
  const oldest = String(Math.max(0, since - marginSeconds));
  let cursor: string | undefined;
  do {
    const page = await slack.conversations.replies({
      ...{ channel, ts, oldest, limit: 200, include_all_metadata: true },
      ...(cursor && { cursor }),
    });
    const found = page.messages?.some(({ metadata }) => {
      const payload = metadata?.event_payload as { key?: unknown } | undefined;
      return metadata?.event_type === eventType && payload?.key === key;
    });
    if (found) return true;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return false;
}

const unnamed = new Set(["user_not_found", "user_not_visible", "users_not_found", "missing_scope"]);
const nameCharacters = 100;

/** A person as the service shows them. */
export async function findSender(slack: SlackAPIClient, id: string): Promise<{ name: string; id: string }> {
  try {
    const { user } = await slack.users.info({ user: id });
    const name = (user?.profile?.display_name || user?.real_name || id).trim().slice(0, nameCharacters);
    return { name: name || id, id };
  } catch (error) {
    // Any other error is thrown: with another name, a repeat would be another message.
    if (unnamed.has(findSlackCode(error) ?? "")) return { name: id, id };
    throw error;
  }
}

/** The code of Slack's refusal; null for any other error. */
export function findSlackCode(error: unknown): string | null {
  return error instanceof Error && "error" in error && typeof error.error === "string" ? error.error : null;
}
