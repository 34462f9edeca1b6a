// Turns the agent's events into the blocks of its message. Each block has a fixed index. Text grows
// in pieces; tools start and end.
import type { FiledSessionsBlock } from "../../src/chat/rules/block.ts";
import type { Redaction } from "../../src/rules/redaction.ts";
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import type { AgentEvent } from "../agent/agent.ts";
import { createPlaces } from "./block-positions.ts";
import type { OutputStorage } from "./long-output.ts";
import { createTextBlocks } from "./text-blocks.ts";
import { createToolBlocks } from "./tool-blocks.ts";

/** The events that change a block. */
export type BlockEvent = Exclude<AgentEvent, { type: "log" }>;

export interface Blocks {
  take(event: BlockEvent): void;
  /** The index of a running tool's block; null if it has none. */
  findToolIndex(callId: string): number | null;
  /** Sends pending text, and marks running tools as cancelled. */
  close(): void;
  /** True if the newest block is a question to the user. */
  endsWithQuestion(): boolean;
}

/**
 * Creates the blocks. Changes go to `send`, in order. The tools in `ownBlocks` have a block type of
 * their own.
 */
export function createBlocks(
  send: (event: TurnEvent) => void,
  redaction: Redaction,
  storage: OutputStorage,
  ownBlocks: ReadonlySet<string>,
): Blocks {
  const places = createPlaces();
  const texts = createTextBlocks(places, send, redaction);
  const tools = createToolBlocks(places, send, redaction, storage, ownBlocks);
  let planIndex: number | null = null;
  let filed: { index: number; sessions: FiledSessionsBlock["sessions"] } | null = null;
  let isQuestionLast = false;

  /** Consecutively filed sessions share one block. Text or a tool between them starts a new one. */
  function addFiled(session: FiledSessionsBlock["sessions"][number]): void {
    filed = filed && places.isLast(filed.index) ? filed : { index: places.next(), sessions: [] };
    filed.sessions = [...filed.sessions, redaction.value(session)];
    send({ type: "block", index: filed.index, block: { type: "filed_sessions", sessions: filed.sessions } });
  }

  function take(event: BlockEvent): void {
    if (event.type === "text") {
      texts.grow(event.delta);
      return;
    }
    texts.end();
    switch (event.type) {
      case "text_begin":
        texts.begin();
        return;
      case "text_end":
        return;
      case "text_final":
        texts.keepAnswer();
        return;
      case "text_void":
        texts.voidAnswer();
        return;
      case "tool_begin":
        texts.keepAnswer();
        // The model may put anything into the name of a tool.
        tools.begin(event.callId, redaction.whole(event.name), event.input);
        return;
      case "tool_output":
        tools.setOutput(event.callId, event.output);
        return;
      case "tool_end":
        tools.end(event.callId, event.isError ? "failed" : "completed", event.output);
        return;
      case "plan":
        planIndex ??= places.next();
        send({ type: "block", index: planIndex, block: { type: "plan", items: redaction.value(event.items) } });
        return;
      case "artifact":
        send({ type: "block", index: places.next(), block: { type: "artifact", ...event.artifact } });
        return;
      case "filed_session":
        addFiled(event.session);
        return;
      case "clarification": {
        isQuestionLast = true;
        const clarificationData = { questions: redaction.value(event.questions) };
        send({ type: "block", index: places.next(), block: { type: "clarification", clarificationData } });
        return;
      }
      case "steer":
        if (event.outcome === "taken") {
          isQuestionLast = false;
          texts.keepAnswer();
        }
        send({ type: "steer", steerId: event.steerId, outcome: event.outcome });
        return;
    }
  }

  return {
    take,
    findToolIndex: tools.findIndex,
    close() {
      texts.end();
      texts.keepAnswer();
      tools.close();
    },
    endsWithQuestion: () => isQuestionLast,
  };
}
