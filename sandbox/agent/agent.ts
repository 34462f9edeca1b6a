// The agent seam: what the program asks of a coding agent, and what it hears of it. One file per agent drives the real thing.
import type {
  ArtifactBlock,
  ClarificationQuestion,
  FiledSessionsBlock,
  PlanBlock,
} from "../../src/rules/chat/block.ts";
import type { ModelAccess } from "../../src/sandbox/protocol.ts";
import type { CommandOutput } from "../process/command-output.ts";
import type { Environment } from "../process/environment.ts";
import type { ProcessFamily } from "../process/process-family.ts";
import type { LongOutput } from "../transcript/long-output.ts";

export interface Agent {
  version: string;
  /** Loads what the first turn would otherwise wait for. */
  warmUp(): Promise<void>;
  /** True when the conversation is on disk. */
  hasConversation(conversationId: string): boolean;
  /** Opens the conversation for one turn. */
  open(turn: AgentTurn): Promise<AgentRun>;
  /** Summarizes the conversation. Not while a turn is open. */
  compact(wanted: AgentCompaction): Promise<CompactionEnd>;
}

/** What a conversation is opened with. */
export interface ConversationOpening {
  conversationId: string;
  model: ModelAccess;
  instructions: string;
  /** Whether the agent has a shell, and tools that change files. */
  writes: boolean;
  tools: AgentTool[];
}

export interface AgentCompaction extends ConversationOpening {
  /** What the summary should keep; empty for nothing in particular. */
  focus: string;
  signal: AbortSignal;
}

export type CompactionEnd = { type: "done" } | { type: "nothing" } | { type: "failed"; error: string };

export interface AgentTurn extends ConversationOpening {
  /** The environment of the agent's commands. */
  env: Environment;
  /** To which every process of the turn belongs. */
  family: ProcessFamily;
  /** Takes the output of a command, of which the agent reads the last `tailBytes`. */
  openOutput(tailBytes: number): CommandOutput;
  onEvent(event: AgentEvent): void;
}

export interface AgentMessage {
  text: string;
  images: AgentImage[];
}

export interface AgentImage {
  mediaType: string;
  base64: string;
}

export interface AgentRun {
  /** Works on the prompt until nothing is left to do. */
  work(prompt: AgentMessage): Promise<AgentEnd>;
  /** Hands a message to the working agent; a `steer` event says what became of it. */
  steer(steerId: string, message: AgentMessage): void;
  /** Ends the work, and with it `work`. Nothing is asked of the model from here on. */
  stop(): Promise<void>;
}

export type AgentEnd =
  | { type: "done" }
  | { type: "stopped" }
  | { type: "failed"; error: string; errorCode: AgentErrorCode | null };

export type AgentErrorCode =
  | "context_window_exceeded"
  | "provider_overloaded"
  | "provider_rate_limited"
  | "provider_unauthorized";

export type AgentEvent =
  | { type: "text_begin" }
  | { type: "text"; delta: string }
  | { type: "text_end" }
  /** The text since the last answer of the model is void: it is asked again. */
  | { type: "text_void" }
  | { type: "tool_begin"; callId: string; name: string; input: unknown }
  /** What the tool printed, where that is more than it answers the agent with. Comes before its end. */
  | { type: "tool_output"; callId: string; output: LongOutput }
  | { type: "tool_end"; callId: string; output: string; isError: boolean }
  | { type: "plan"; items: PlanBlock["items"] }
  | { type: "artifact"; artifact: Omit<ArtifactBlock, "type"> }
  | { type: "filed_session"; session: FiledSessionsBlock["sessions"][number] }
  | { type: "clarification"; questions: ClarificationQuestion[] }
  | { type: "steer"; steerId: string; outcome: "taken" | "returned" };

/** A tool of the product's own, offered beside the agent's. */
export interface AgentTool {
  name: string;
  label: string;
  description: string;
  /** A JSON Schema. */
  parameters: Record<string, unknown>;
  /** Does the work until the signal says that nobody wants it any more; a thrown error is told to the agent. */
  run(input: unknown, signal: AbortSignal): Promise<AgentToolAnswer>;
}

export interface AgentToolAnswer {
  /** For the agent to read. */
  text: string;
  /** True ends the turn: the agent waits for a person. */
  endsTurn: boolean;
  /** What the transcript shows of it; null for nothing but the tool's own block. */
  event: AgentEvent | null;
}
