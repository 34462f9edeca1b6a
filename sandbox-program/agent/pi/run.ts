// One turn of a pi session: maps pi's events to the program's, hands steers to pi, and decides how
// the turn ends.
import { setImmediate } from "node:timers/promises";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { AgentSession, AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import type { AgentEnd, AgentMessage, AgentRun, AgentTurn } from "../agent.ts";
import { isTooLong, toFailedEnd, tooLongEnd } from "./failure.ts";
import { getPromptOptions } from "./prompt-options.ts";
import { createRunLog } from "./run-log.ts";
import { createSteerQueue } from "./steer-queue.ts";

export interface PiRun extends AgentRun {
  /**
   * Called when a tool has asked the user, or a hook ends the turn. The turn ends after the tool.
   */
  asked(): void;
  /** True if the turn ends because it asked the user, or because a hook ends it. */
  hasAsked(): boolean;
}

/** Runs one turn of the session. `onSettled` is called once, after the last event. */
export function createPiRun(
  session: AgentSession,
  { model: { contextWindow }, onEvent, findReminder }: Pick<AgentTurn, "model" | "onEvent" | "findReminder">,
  onSettled: () => void,
): PiRun {
  let hasSettled = false;
  let isStopped = false;
  let hasAsked = false;
  let lastAnswer: AssistantMessage | null = null;
  let compactionFailed = false;
  let working: Promise<unknown> = Promise.resolve();
  const steers = createSteerQueue(session, onEvent);
  const log = createRunLog((line) => onEvent({ type: "log", line }));
  const unsubscribe = session.subscribe((event) => {
    log(event);
    receive(event);
  });

  function receive(event: AgentSessionEvent): void {
    switch (event.type) {
      case "agent_start":
        // The turn was stopped while pi was preparing and there was nothing to abort yet.
        if (isStopped) session.agent.abort();
        return;
      case "message_start":
        if (event.message.role === "assistant" && !hasFailed(event.message)) steers.begin();
        if (event.message.role === "user" && steers.take(contentText(event.message.content))) hasAsked = false;
        return;
      case "message_update":
        handleUpdate(event.assistantMessageEvent);
        return;
      case "message_end":
        if (event.message.role === "assistant") {
          lastAnswer = event.message;
          compactionFailed = false;
          if (isComplete(event.message)) onEvent({ type: "text_final" });
        }
        return;
      case "tool_execution_start":
        onEvent({ type: "tool_begin", callId: event.toolCallId, name: event.toolName, input: event.args });
        return;
      case "tool_execution_end":
        onEvent({
          type: "tool_end",
          callId: event.toolCallId,
          output: resultText(event.result),
          isError: event.isError,
        });
        return;
      case "turn_end":
        // pi continues after a question that was asked in parallel with other calls.
        if (hasAsked && steers.isEmpty()) session.agent.abort();
        return;
      case "agent_end":
        // With a message in its queue, pi would send one more request to a model that has failed
        // for good.
        if (lastAnswer && hasFailed(lastAnswer) && !event.willRetry && !isTooLong(lastAnswer, contextWindow))
          steers.giveBack();
        return;
      case "auto_retry_start":
        onEvent({ type: "text_void" });
        return;
      case "compaction_end":
        if (event.reason === "overflow") {
          compactionFailed = event.result === undefined;
          if (event.willRetry) onEvent({ type: "text_void" });
        }
        return;
      default:
        return;
    }
  }

  function handleUpdate(update: Extract<AgentSessionEvent, { type: "message_update" }>["assistantMessageEvent"]): void {
    if (update.type === "text_start") onEvent({ type: "text_begin" });
    else if (update.type === "text_delta") onEvent({ type: "text", delta: update.delta });
    else if (update.type === "text_end") onEvent({ type: "text_end" });
  }

  function settle(): void {
    if (hasSettled) return;
    hasSettled = true;
    unsubscribe();
    steers.close();
    onSettled();
  }

  function end(): AgentEnd {
    if (isStopped) return { type: "stopped" };
    if (hasAsked) return { type: "done" };
    if (compactionFailed || (lastAnswer && isTooLong(lastAnswer, contextWindow))) return tooLongEnd;
    if (lastAnswer?.stopReason === "error") return toFailedEnd(lastAnswer.errorMessage ?? "no reason given");
    if (lastAnswer?.stopReason === "aborted") return toFailedEnd("the answer was broken off");
    return { type: "done" };
  }

  /** Has an agent that ended by itself continue once, if its turn still lacks something. */
  async function remind(): Promise<void> {
    const reminder = isStopped || hasAsked || end().type !== "done" ? null : findReminder();
    if (reminder === null) return;
    onEvent({ type: "log", line: `the agent was reminded: ${reminder}` });
    // A steer may have started a run meanwhile. Then the reminder joins it.
    await session.prompt(reminder, {
      ...getPromptOptions({ text: reminder, images: [] }),
      streamingBehavior: "steer",
    });
    await steers.idle();
  }

  async function workThrough(prompt: AgentMessage): Promise<AgentEnd> {
    try {
      await session.prompt(prompt.text, getPromptOptions(prompt));
      await steers.idle();
      await remind();
      return end();
    } catch (error) {
      return isStopped ? { type: "stopped" } : toFailedEnd(error instanceof Error ? error.message : String(error));
    } finally {
      settle();
    }
  }

  return {
    work(prompt) {
      const end = workThrough(prompt);
      working = end;
      return end;
    },
    steer: steers.push,
    async stop() {
      isStopped = true;
      steers.hold();
      // pi queues a message that was just handed over before this resolves.
      await setImmediate();
      // The queue is cleared before the abort. Otherwise a queued message would enter the
      // conversation and stay unanswered.
      session.clearQueue();
      await session.abort();
      await working;
      settle();
    },
    asked() {
      hasAsked = true;
    },
    hasAsked: () => hasAsked,
  };
}

const hasFailed = ({ stopReason }: AssistantMessage) => stopReason === "error" || stopReason === "aborted";

/** A response that was cut at the longest length may be repeated after a compaction. */
const isComplete = ({ stopReason }: AssistantMessage) => stopReason === "stop" || stopReason === "toolUse";

function contentText(content: string | { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

function resultText(result: { content?: { type: string; text?: string }[] } | undefined): string {
  return (result?.content ?? [])
    .map((part) => (part.type === "text" ? (part.text ?? "") : `[${part.type}]`))
    .join("\n");
}
