// A turn, its events and its result; and a message that waits for one.
import { GaveUpError } from "./errors.ts";
import type { Event, TurnEvents } from "./events.ts";
import type { sendOperation } from "./form.ts";
import type { Schemas } from "./generated/api.ts";
import type { Answer, AnyInput, Http } from "./http.ts";
import { type LineOptions, listLiveEvents } from "./live.ts";

type Message = Schemas["Message"];

/** The session of a turn. */
export interface SessionPath {
  projectId: string;
  sessionId: string;
}

/** How a turn ended. */
export type TurnResult = { job: Schemas["Job"] /** The agent's last words. */; text: string; messages: Message[] } & (
  | { outcome: "completed" /** The result that the message asked for by a schema. */; result: Schemas["Job"]["result"] }
  | { outcome: "asks"; questions: Schemas["ClarificationQuestion"][] }
  | { outcome: "failed" | "limit"; code: string | null; error: string }
  | { outcome: "stopped" }
);

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** After this time a `GaveUpError` has the last state. The turn continues. */
  timeoutMs?: number | undefined;
  /** Is called with each state of the turn. */
  onJob?: ((job: Schemas["Job"]) => void) | undefined;
}

/** The codes of turns that a limit has ended: somebody pays, waits or raises it. */
const limitCodes = new Set(["credit_limit_reached", "subscription_limit_reached", "provider_rate_limited"]);
const sessionPath = "/api/projects/{projectId}/chat-sessions/{sessionId}";

/** A turn of a session. */
export class Turn {
  readonly delivery = "job";
  readonly id: string;
  /** What the sender should know, such as that the message names no skill; null for nothing. */
  readonly notice: string | null;
  readonly session: SessionPath;
  readonly #http: Http;

  constructor(http: Http, session: SessionPath, id: string, notice: string | null = null) {
    this.#http = http;
    this.session = session;
    this.id = id;
    this.notice = notice;
  }

  /** Follows the turn to its end. */
  follow(options: LineOptions = {}): AsyncIterable<Event<TurnEvents>> {
    const input = { path: { streamId: this.id } };
    const events = listLiveEvents(
      this.#http,
      "GET /api/streams/{streamId}",
      input,
      options,
      ({ type }) => type === "end",
    );
    // The service says what the events of this stream are.
    return events as AsyncIterable<Event<TurnEvents>>;
  }

  /** Stops the turn, unless it has ended. */
  async stop(): Promise<void> {
    await stopJob(this.#http, this.session, this.id);
  }

  /** Waits until the turn ends. */
  async result({ signal, timeoutMs, onJob }: WaitOptions = {}): Promise<TurnResult> {
    const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [signal, timeout].filter((one) => one !== undefined);
    const either = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    let job: Schemas["Job"] | null = null;
    try {
      for await (const { type, data } of this.follow({ signal: either })) {
        if (type !== "job") continue;
        job = data.job;
        onJob?.(job);
      }
      return await this.#read(either);
    } catch (error) {
      if (!timeout?.aborted || signal?.aborted) throw error;
      throw new GaveUpError(
        `The turn had not ended after ${Math.round((timeoutMs ?? 0) / 1000)} s. It continues.`,
        job,
      );
    }
  }

  async #read(signal: AbortSignal | undefined): Promise<TurnResult> {
    const input: AnyInput = { path: { ...this.session, jobId: this.id }, signal };
    const [read, conversation] = await Promise.all([
      this.#http.call(`GET ${sessionPath}/jobs/chat/{jobId}`, input),
      this.#http.call(`GET ${sessionPath}/messages`, input),
    ]);
    const { job } = read.data as { job: Schemas["Job"] };
    const { messages } = conversation.data as { messages: Message[] };
    return toResult(
      job,
      messages.filter(({ jobId }) => jobId === this.id),
    );
  }
}

/** A message that waits Up next. */
export class Queued {
  readonly delivery = "queued";
  readonly id: string;
  readonly notice: string | null;
  readonly session: SessionPath;
  readonly #http: Http;

  constructor(http: Http, session: SessionPath, id: string, notice: string | null = null) {
    this.#http = http;
    this.session = session;
    this.id = id;
    this.notice = notice;
  }

  /**
   * Waits until the message has started a turn, or was steered into one; null once it is deleted.
   */
  async turn({ signal }: Pick<WaitOptions, "signal"> = {}): Promise<Turn | null> {
    const path = { ...this.session };
    const line = listLiveEvents(this.#http, `GET ${sessionPath}/events`, { path }, { signal }, isDeletion);
    for await (const { type, data } of line) {
      if (type !== "queue" || this.#isIn(data as Schemas["QueueEvent"])) continue;
      // What has left the queue is in the conversation, so the queue is read first.
      const { data: read } = await this.#http.call(`GET ${sessionPath}/queue`, { path, signal });
      const queue = read as Schemas["Queue"];
      if (this.#isIn(queue)) continue;
      const { data: conversation } = await this.#http.call(`GET ${sessionPath}/messages`, { path, signal });
      const sent = (conversation as { messages: Message[] }).messages.find(({ id }) => id === this.id);
      if (sent) return new Turn(this.#http, this.session, sent.jobId);
      // It may be among the steers, whose ids are others. One that no turn takes returns Up next.
      if (!queue.steers?.length) return null;
    }
    return null;
  }

  #isIn({ messages }: { messages: readonly { id: string }[] }): boolean {
    return messages.some(({ id }) => id === this.id);
  }
}

/** A message that was steered into the running turn. */
export interface Steered {
  delivery: "steer";
  id: string;
  notice: string | null;
}

/** What became of a message. @internal */
export function toDelivery(
  http: Http,
  session: SessionPath,
  sent: Answer<typeof sendOperation>,
): Turn | Queued | Steered {
  const { notice = null } = sent;
  if (sent.delivery === "job") return new Turn(http, session, sent.chatJobId, notice);
  if (sent.delivery === "steer") return { delivery: "steer", id: sent.steerId, notice };
  return new Queued(http, session, sent.queuedMessageId, notice);
}

/** True for the event that ends the stream of a session. @internal */
export const isDeletion = ({ type, data }: { type: string; data: unknown }): boolean =>
  type === "end" && typeof data === "object" && data !== null && "deleted" in data;

/** Stops a job. One that has ended needs no stop. @internal */
export async function stopJob(http: Http, session: SessionPath, jobId: string): Promise<void> {
  const path = { ...session, jobId };
  try {
    await http.call(`POST ${sessionPath}/jobs/chat/{jobId}/cancel`, { path });
  } catch (error) {
    const { data } = await http.call(`GET ${sessionPath}/jobs/chat/{jobId}`, { path });
    const { status } = (data as { job: Schemas["Job"] }).job;
    if (status === "pending" || status === "running") throw error;
  }
}

function toResult(job: Schemas["Job"], messages: Message[]): TurnResult {
  const blocks = messages.findLast(({ role }) => role === "assistant")?.blocks ?? [];
  const known = { job, messages, text: getLastWords(blocks) };
  const { status, error, errorCode: code } = job;
  switch (status) {
    case "awaiting_response": {
      const asked = blocks.flatMap((block) =>
        block.type === "clarification" ? block.clarificationData.questions : [],
      );
      return { ...known, outcome: "asks", questions: asked };
    }
    case "cancelled":
      return { ...known, outcome: "stopped" };
    case "failed":
      return { ...known, outcome: code && limitCodes.has(code) ? "limit" : "failed", code, error: error ?? "" };
    default:
      return { ...known, outcome: "completed", result: job.result ?? null };
  }
}

/** The texts after the last tool, or the last text where there is none. A void text is empty. */
function getLastWords(blocks: readonly Schemas["Block"][]): string {
  const said = blocks.filter((block) => block.type !== "text" || block.content !== "");
  const texts = said.map((block) => (block.type === "text" ? block.content : null));
  const last = texts.findLastIndex((text) => text !== null);
  const before = texts.slice(0, last + 1).lastIndexOf(null);
  return texts.slice(before + 1, last + 1).join("\n\n");
}
