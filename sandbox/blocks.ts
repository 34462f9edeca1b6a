// From what the agent does to the blocks of its message: each block has a fixed index, text grows in pieces, tools begin and end.
import type { ClarificationQuestion, ToolBlock, ToolStatus } from "../src/rules/block.ts";
import { toolOutputBytes } from "../src/rules/limits.ts";
import type { TurnEvent } from "../src/sandbox/protocol.ts";
import type { AgentEvent } from "./agent.ts";
import { capText, capTexts } from "./capped-text.ts";
import type { RedactedStream, Redaction } from "./redaction.ts";
import { toolTitle } from "./tool-title.ts";

export interface Blocks {
  take(event: AgentEvent): void;
  /** Sends what is held back and marks tools that still run as cancelled. */
  close(): void;
  /** True when the newest word of the agent is a question to the user. */
  endsWithQuestion(): boolean;
}

interface OpenText {
  index: number;
  isShown: boolean;
  pending: string;
  redacted: RedactedStream;
}

/** Small pieces of text are put together for this long. */
const textPauseMs = 40;

/** Blocks whose changes go to `send`, in order. The names in `ownBlocks` are tools that have a block of their own kind. */
export function createBlocks(
  send: (event: TurnEvent) => void,
  redaction: Redaction,
  ownBlocks: ReadonlySet<string>,
): Blocks {
  let nextIndex = 0;
  let text: OpenText | null = null;
  let timer: NodeJS.Timeout | undefined;
  let planIndex: number | null = null;
  let isQuestionLast = false;
  /** Texts of the model's answer under way, whose places may be needed again. */
  let answerTexts: number[] = [];
  let voidIndexes: number[] = [];
  const running = new Map<string, { index: number; block: ToolBlock }>();

  function sendText(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!text || text.pending === "") return;
    const { index, isShown, pending } = text;
    text.pending = "";
    text.isShown = true;
    if (isShown) send({ type: "text", index, delta: pending });
    else send({ type: "block", index, block: { type: "text", content: pending } });
  }

  function grow(piece: string): void {
    if (!text || piece === "") return;
    text.pending += piece;
    // The first words go out at once: they are what a reader waits for.
    if (!text.isShown || text.pending.length > toolOutputBytes) sendText();
    else timer ??= setTimeout(sendText, textPauseMs);
  }

  function endText(): void {
    if (!text) return;
    grow(text.redacted.flush());
    sendText();
    text = null;
  }

  function beginText(): void {
    endText();
    const index = voidIndexes.shift() ?? nextIndex++;
    answerTexts.push(index);
    text = { index, isShown: false, pending: "", redacted: redaction.stream() };
  }

  function beginTool(callId: string, name: string, input: unknown): void {
    answerTexts = [];
    if (ownBlocks.has(name)) return;
    const shown = capTexts(redaction.value(input), toolOutputBytes);
    const block: ToolBlock = {
      type: "tool",
      name,
      title: toolTitle(name, shown),
      input: shown,
      output: null,
      fullOutputBytes: null,
      status: "running",
      startedAt: new Date().toISOString(),
      completedAt: null,
    };
    const index = nextIndex++;
    running.set(callId, { index, block });
    send({ type: "block", index, block });
  }

  function endTool(callId: string, status: ToolStatus, output: string): void {
    const tool = running.get(callId);
    if (!tool) return;
    running.delete(callId);
    const block = {
      ...tool.block,
      status,
      output: capText(redaction.whole(output), toolOutputBytes),
      completedAt: new Date().toISOString(),
    };
    send({ type: "block", index: tool.index, block });
  }

  function sendQuestions(questions: ClarificationQuestion[]): void {
    send({ type: "block", index: nextIndex++, block: { type: "clarification", clarificationData: { questions } } });
  }

  function take(event: AgentEvent): void {
    if (event.type === "text") {
      grow(text?.redacted.push(event.delta) ?? "");
      return;
    }
    endText();
    switch (event.type) {
      case "text_begin":
        beginText();
        return;
      case "text_end":
        return;
      case "text_void":
        voidIndexes = [...voidIndexes, ...answerTexts];
        answerTexts = [];
        return;
      case "tool_begin":
        beginTool(event.callId, event.name, event.input);
        return;
      case "tool_end":
        endTool(event.callId, event.isError ? "failed" : "completed", event.output);
        return;
      case "plan":
        planIndex ??= nextIndex++;
        send({ type: "block", index: planIndex, block: { type: "plan", items: redaction.value(event.items) } });
        return;
      case "clarification":
        isQuestionLast = true;
        sendQuestions(redaction.value(event.questions));
        return;
      case "steer":
        if (event.outcome === "taken") {
          isQuestionLast = false;
          answerTexts = [];
        }
        send({ type: "steer", steerId: event.steerId, outcome: event.outcome });
        return;
    }
  }

  return {
    take,
    close() {
      endText();
      for (const callId of [...running.keys()]) endTool(callId, "cancelled", "");
    },
    endsWithQuestion: () => isQuestionLast,
  };
}
