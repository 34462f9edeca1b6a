// A message that mentions the app. The first one in a thread starts a session, whose place is the
// thread. A later one is sent to it. Slack repeats an event that got no answer in three seconds:
// the keys of the requests make a repeat harmless.
import { SwitchyardError } from "@switchyard/client";
import { createSlack, createSwitchyard, type Env, findProject } from "./settings.ts";
import { fromSlackText } from "./text.ts";
import { findSender, placeKind, publishOnce, type Thread, toPlaceId } from "./thread.ts";

/** An event of Slack, as far as it is read here. */
export interface SlackEvent {
  type?: string;
  subtype?: string;
  bot_id?: string;
  user?: string;
  channel?: string;
  text?: string;
  ts?: string;
  thread_ts?: string;
}

export interface EventRequest {
  event: SlackEvent;
  appUserId: string;
  /** True if people of other companies are in the channel. */
  isShared: boolean;
  /** How often Slack has repeated it. */
  repeats: number;
}

/** Slack repeats an event three times. */
const repeatsMax = 3;

/** Starts a session, or sends to it. Throws what a retry may fix. */
export async function handleMention(env: Env, { event, appUserId, isShared, repeats }: EventRequest): Promise<void> {
  const { type, subtype, bot_id, user, channel, ts, text = "" } = event;
  if (type !== "app_mention" || subtype || bot_id || isShared) return;
  if (!user || user === appUserId || !channel || !ts) return;
  const thread = { channel, ts: event.thread_ts ?? ts };
  const content = fromSlackText(text, appUserId);
  try {
    if (content === "") return await say("Write what to do after my name.");
    const project = findProject(env, channel);
    if (project === null) return await say("This channel has no project.");
    await deliver(env, { thread, project, content, user, ts });
  } catch (error) {
    const reason = findReason(error, repeats);
    if (reason === null) throw error;
    await say(reason);
  }

  async function say(reason: string): Promise<void> {
    const post = { key: `reply ${ts}`, since: Number(ts), text: reason };
    await publishOnce(createSlack(env), thread, post);
  }
}

interface Message {
  thread: Thread;
  project: string;
  content: string;
  user: string;
  /** The message's id in its channel. */
  ts: string;
}

async function deliver(env: Env, { thread, project, content, user, ts }: Message): Promise<void> {
  const service = createSwitchyard(env);
  const id = toPlaceId(thread);
  const sender = await findSender(createSlack(env), user);
  const key = `slack ${thread.channel} ${ts}`;
  const projectId = await service.projects.findId(project);
  try {
    const { session, delivery } = await service.request("POST /api/projects/{projectId}/chat-sessions", {
      path: { projectId },
      body: { content, sender, place: { kind: placeKind, id }, metadata: { [placeKind]: id } },
      idempotencyKey: key,
    });
    // The first message came with the new session.
    if (delivery !== undefined) return;
    await service.request("POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat", {
      path: { projectId, sessionId: session.id },
      body: { content, sender },
      idempotencyKey: key,
    });
  } catch (error) {
    // The message was edited, and its first text has been sent.
    if (error instanceof SwitchyardError && error.failure.code === "IDEMPOTENCY_KEY_REUSED") return;
    throw error;
  }
}

/** The sentence for people; null for a failure that a retry may fix. */
function findReason(error: unknown, repeats: number): string | null {
  // The project of the channel is unknown, or its name is not unique.
  if (error instanceof RangeError) return "The project of this channel was not found, or several have its name.";
  const isRefusal = error instanceof SwitchyardError && error.status < 500 && error.status !== 429;
  if (isRefusal) return error.message;
  return repeats < repeatsMax ? null : "Switchyard could not take this message. Mention me again later.";
}
