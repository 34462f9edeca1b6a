// The interface to a coding agent: the calls of the program, and the agent's events. Each agent has
// one driver.

import type {
  ArtifactBlock,
  ClarificationQuestion,
  FiledSessionsBlock,
  PlanBlock,
} from "../../src/chat/rules/block.ts";
import type { CallFailureCode } from "../../src/model-gateway/rules/failure.ts";
import type { PluginAgent } from "../../src/plugin/rules/agent.ts";
import type { ModelAccess } from "../../src/sandbox-protocol/protocol.ts";
import type { CommandOutput } from "../process/command-output.ts";
import type { Environment } from "../process/environment.ts";
import type { ProcessFamily } from "../process/process-family.ts";
import type { LongOutput } from "../transcript/long-output.ts";
import type { Hooks } from "./plugins/hooks.ts";

export interface Agent {
  version: string;
  /** Loads the agent's code, so that the first turn does not wait for it. */
  warmUp(): Promise<void>;
  /** True if the conversation is on disk. */
  hasConversation(conversationId: string): boolean;
  /** Opens the conversation for one turn. */
  open(turn: AgentTurn): Promise<AgentRun>;
  /** Summarizes the conversation. Not while a turn is open. */
  compact(wanted: AgentCompaction): Promise<CompactionEnd>;
}

/** The settings of an open conversation. */
export interface ConversationOpening {
  conversationId: string;
  model: ModelAccess;
  instructions: string;
  /** True if the agent has a shell, and tools that change files. */
  writes: boolean;
  tools: AgentTool[];
}

export interface AgentCompaction extends ConversationOpening {
  /** The topic that the summary must preserve in full; empty for none. */
  focus: string;
  signal: AbortSignal;
}

export type CompactionEnd = { type: "done" } | { type: "nothing" } | { type: "failed"; error: string };

export interface AgentTurn extends ConversationOpening {
  /** The environment of the agent's commands. */
  env: Environment;
  /** The family of every process of the turn. */
  family: ProcessFamily;
  /** Collects the output of a tool's command. The agent reads its last `tailBytes`. */
  openOutput(callId: string, tailBytes: number): CommandOutput;
  /**
   * The reminder for an agent that has ended by itself. It then continues once. Null lets it end.
   */
  findReminder(): string | null;
  /** What the turn's plugins add; null if they add nothing executable. */
  plugins: TurnPlugins | null;
  onEvent(event: AgentEvent): void;
}

/** What plugins add to a turn besides instructions. */
export interface TurnPlugins {
  /** Differs for other plugins: the conversation is then opened again. */
  key: string;
  hooks: Hooks;
  /** The agents to which the turn's agent may delegate work. */
  agents: PluginAgent[];
  /** The language servers' errors in a changed file; null if there are none. */
  errorsIn(path: string): Promise<string | null>;
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
  /** Runs the agent on the prompt until it has nothing left to do. */
  work(prompt: AgentMessage): Promise<AgentEnd>;
  /** Hands a message to the running agent. A `steer` event reports whether the agent took it. */
  steer(steerId: string, message: AgentMessage): void;
  /** Ends the run, so that `work` settles. No request goes to the model afterwards. */
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
  | CallFailureCode;

export type AgentEvent =
  | { type: "text_begin" }
  | { type: "text"; delta: string }
  | { type: "text_end" }
  /** The model's response is complete, so its text stays. */
  | { type: "text_final" }
  /** The text since the model's last complete response is void, because the request is repeated. */
  | { type: "text_void" }
  | { type: "tool_begin"; callId: string; name: string; input: unknown }
  /**
   * The tool's whole output, if it is longer than its result for the agent. Precedes `tool_end`.
   */
  | { type: "tool_output"; callId: string; output: LongOutput }
  | { type: "tool_end"; callId: string; output: string; isError: boolean }
  | { type: "plan"; items: PlanBlock["items"] }
  | { type: "artifact"; artifact: Omit<ArtifactBlock, "type"> }
  | { type: "filed_session"; session: FiledSessionsBlock["sessions"][number] }
  | { type: "clarification"; questions: ClarificationQuestion[] }
  | { type: "steer"; steerId: string; outcome: "taken" | "returned" }
  /** A line for the log of the turn; not a part of its transcript. */
  | { type: "log"; line: string };

/** A tool of the product, in addition to the agent's own tools. */
export interface AgentTool {
  name: string;
  label: string;
  description: string;
  /** A JSON Schema. */
  parameters: Record<string, unknown>;
  /** True if the input reaches the tool as the model wrote it, and the service checks it. */
  isCheckedByService?: true;
  /**
   * Runs the tool until it is done or the signal aborts. The agent gets the message of a thrown
   * error.
   */
  run(input: unknown, signal: AbortSignal): Promise<AgentToolAnswer>;
}

export interface AgentToolAnswer {
  /** The text for the agent. */
  text: string;
  /** True ends the turn: the agent waits for a person, or has submitted its result. */
  endsTurn: boolean;
  /** The event for the transcript; null if the transcript has only the tool's block. */
  event: AgentEvent | null;
}
