// The tool blocks of a message. Each starts with the agent's call and ends with the tool's result.
// A tool with its own block type gets a tool block only if it fails.

import type { ToolBlock, ToolStatus } from "../../src/chat/rules/block.ts";
import { toolOutputBytes } from "../../src/rules/limits.ts";
import type { Redaction } from "../../src/rules/redaction.ts";
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";
import { toFields } from "../http/unknown-fields.ts";
import type { Places } from "./block-positions.ts";
import { capTexts, joinEnds, middleLeftOut } from "./capped-text.ts";
import { getOutputSize, type LongOutput, type OutputStorage } from "./long-output.ts";

export interface ToolBlocks {
  begin(callId: string, name: string, input: unknown): void;
  /** Sets the whole output, if it is longer than the tool's result for the agent. */
  setOutput(callId: string, output: LongOutput): void;
  end(callId: string, status: ToolStatus, output: string): void;
  /** The index of a running tool's block; null if it has none. */
  findIndex(callId: string): number | null;
  /** Marks running tools as cancelled. */
  close(): void;
}

interface RunningTool {
  /** Null for a tool with its own block type. */
  index: number | null;
  block: ToolBlock;
  output: LongOutput | null;
}

const middleLost = "the middle is left out and could not be kept";

/** Creates the tool blocks. Changes go to `send`; long outputs go to `storage`. */
export function createToolBlocks(
  places: Places,
  send: (event: TurnEvent) => void,
  redaction: Redaction,
  storage: OutputStorage,
  ownBlocks: ReadonlySet<string>,
): ToolBlocks {
  const running = new Map<string, RunningTool>();

  function longOutput(output: string): LongOutput | null {
    const whole = Buffer.from(redaction.whole(output));
    return whole.length > toolOutputBytes ? { ends: { start: whole, end: whole, bytes: whole.length }, whole } : null;
  }

  function sendLong(index: number, block: ToolBlock, { ends, whole }: LongOutput): void {
    const cut = { ...block, output: joinEnds(ends, toolOutputBytes, middleLeftOut) };
    send({ type: "block", index, block: cut });
    void storage.keep(index, whole).then((isKept) => {
      const stored: ToolBlock = isKept
        ? { ...cut, fullOutputBytes: getOutputSize(whole) }
        : { ...cut, output: joinEnds(ends, toolOutputBytes, middleLost) };
      send({ type: "block", index, block: stored });
    });
  }

  function end(callId: string, status: ToolStatus, output: string): void {
    const tool = running.get(callId);
    if (!tool) return;
    running.delete(callId);
    if (tool.index === null && status !== "failed") return;
    const index = tool.index ?? places.next();
    const block = { ...tool.block, status, completedAt: new Date().toISOString() };
    const long = tool.output ?? longOutput(output);
    if (long) sendLong(index, block, long);
    else send({ type: "block", index, block: { ...block, output: redaction.whole(output) } });
  }

  return {
    begin(callId, name, input) {
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
      const index = ownBlocks.has(name) ? null : places.next();
      running.set(callId, { index, block, output: null });
      if (index !== null) send({ type: "block", index, block });
    },
    setOutput(callId, output) {
      const tool = running.get(callId);
      if (tool) tool.output = output;
    },
    end,
    findIndex: (callId) => running.get(callId)?.index ?? null,
    close() {
      for (const callId of [...running.keys()]) end(callId, "cancelled", "");
    },
  };
}

const titleCharactersMax = 200;
/** The input fields that can be the title, in order of preference. */
const titleFields = ["command", "path", "file_path", "pattern", "query", "title", "name"];

/** The title of a tool block: the most informative field of the call's input, on one line. */
function toolTitle(name: string, input: unknown): string {
  const fields = toFields(input);
  const title = titleFields
    .map((field) => fields[field])
    .find((value) => typeof value === "string" && value.trim() !== "");
  const line = (typeof title === "string" ? title : name).trim().split("\n")[0] ?? name;
  return line.length > titleCharactersMax ? `${line.slice(0, titleCharactersMax - 1)}…` : line;
}
