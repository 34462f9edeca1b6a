// A block: one part of an assistant message, such as a text, a plan, a tool call or a question.
import type { ArtifactKind } from "../../artifact/rules/artifact.ts";

export const toolStatuses = ["running", "completed", "failed", "cancelled"] as const;
export type ToolStatus = (typeof toolStatuses)[number];

export const planItemStatuses = ["pending", "in_progress", "completed"] as const;
export type PlanItemStatus = (typeof planItemStatuses)[number];

export interface ClarificationOption {
  title: string;
  description: string;
  isRecommended: boolean;
}

export interface ClarificationQuestion {
  topic: string;
  question: string;
  /** 2 to 4 options, the recommended one first. */
  options: ClarificationOption[];
}

export interface TextBlock {
  type: "text";
  content: string;
}

export interface PlanBlock {
  type: "plan";
  items: { title: string; status: PlanItemStatus }[];
}

export interface ToolBlock {
  type: "tool";
  name: string;
  title: string;
  input: unknown;
  /** Null while the tool runs. Capped; see `toolOutputBytes` in limits. */
  output: string | null;
  /** The length of the whole output in storage; null if the block shows all of it. */
  fullOutputBytes: number | null;
  /** Set only in a page that shows less of `output` than the block holds. */
  outputCharacters?: number | undefined;
  status: ToolStatus;
  startedAt: string;
  completedAt: string | null;
}

export interface ClarificationBlock {
  type: "clarification";
  clarificationData: { questions: ClarificationQuestion[] };
}

/** Sessions that the agent filed in the Backlog. */
export interface FiledSessionsBlock {
  type: "filed_sessions";
  sessions: { sessionId: string; projectId: string; title: string }[];
}

/** An artifact that the agent wrote. A newer version may exist. */
export interface ArtifactBlock {
  type: "artifact";
  artifactId: string;
  slug: string;
  title: string;
  kind: ArtifactKind;
  version: number;
}

export type Block = TextBlock | PlanBlock | ToolBlock | ClarificationBlock | FiledSessionsBlock | ArtifactBlock;

/** Ends a tool that still runs when its turn has ended: it fails with the turn, or is cancelled. */
export function endTool(tool: ToolBlock, hasTurnFailed: boolean, now: number): ToolBlock {
  const status = hasTurnFailed ? "failed" : "cancelled";
  return { ...tool, output: tool.output ?? "", status, completedAt: new Date(now).toISOString() };
}

/** The Reply of a turn: the agent's texts after its last tool call. A void text is empty. */
export function getReply(texts: readonly string[]): string {
  return texts.filter(Boolean).join("\n\n").trim();
}
