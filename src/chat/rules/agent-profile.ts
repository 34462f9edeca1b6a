// The profile of a turn's agent: its permissions and instructions. The owner of the turn sets it,
// so the sandbox program needs to know nothing else about the owner.

import type { ReplyStyle } from "../../account/rules/profile.ts";
import type { ClarificationQuestion } from "./block.ts";

export const productToolNames = [
  "plan",
  "ask",
  "file_session",
  "artifact",
  "open_pull_request",
  "sync_branch",
  "ship",
  "find_files",
  "search",
  "git",
  "service_logs",
  "api",
  "project_settings",
  "submit_result",
] as const;
export type ProductToolName = (typeof productToolNames)[number];

/** The agent's access to the repository on the code host. */
export const gitAccesses = ["none", "fetch", "push"] as const;
export type GitAccess = (typeof gitAccesses)[number];

/** The sources of the skills that a message may call. */
export const skillSources = ["factory", "project"] as const;
export type SkillSource = (typeof skillSources)[number];

export interface AgentProfile {
  /** The product's tools that the agent is offered. */
  tools: ProductToolName[];
  /**
   * True if the agent may change the checkout. Otherwise it has neither a shell nor tools that
   * write files. Its turn can then run at the same time as one turn that changes the checkout, and
   * as other turns that only read.
   */
  writes: boolean;
  git: GitAccess;
  skills: SkillSource[];
  /**
   * Known skills that this agent cannot use. If a first message calls one that the checkout does
   * not have either, it is filed in the Backlog word for word, without a model call.
   */
  skillsElsewhere?: string[] | undefined;
  /** The schema of the result that the agent must submit with `submit_result`, as JSON. */
  resultSchema?: string | undefined;
  /** True if the owner of the turn stores the log of the sandbox program. */
  keepsLog?: boolean | undefined;
  /** The agent's instructions, besides the descriptions of its tools. */
  instructions: string;
}

/** The result of a tool that the service runs for an agent. */
export interface ToolAnswer {
  /** The text for the agent. */
  text: string;
  /** Questions to the user, which end the turn; null for none. */
  questions: ClarificationQuestion[] | null;
  /** True if the turn ends without questions. */
  endsTurn?: boolean;
}

const words: Record<ReplyStyle, string | null> = {
  standard: null,
  simplified: `The person you write to wants simple language. Write your replies, plans and questions like this:
- Use short sentences and everyday words. Explain a technical term where you first use it, or leave it out.
- Say first what changed and what it means. Explain how it is built only if they ask.`,
  not_tech: `The person you write to does not program. Write your replies, plans and questions like this:
- Use plain language, as for somebody who uses the product and never sees its code: no code, commands, file names or technical terms.
- Say what people can do now that they could not before, what looks different, and how to see it.
- Ask about what the product should do, never about how it is built; decide that yourself.`,
};

/**
 * The part of an agent's instructions about the wording of its replies, as the person it replies to
 * has chosen in their profile; null for none.
 */
export function findReplyInstructions(style: ReplyStyle): string | null {
  return words[style];
}
