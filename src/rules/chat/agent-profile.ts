// The profile of a turn's agent: what it may do and what it is told. The owner of the turn decides on it; the sandbox program asks for
// nothing else of whom its agent works for.

export const productToolNames = [
  "plan",
  "ask",
  "file_session",
  "artifact",
  "open_pull_request",
  "sync_branch",
  "ship",
] as const;
export type ProductToolName = (typeof productToolNames)[number];

/** What its git may do with the repository on the code host. */
export const gitAccesses = ["none", "fetch", "push"] as const;
export type GitAccess = (typeof gitAccesses)[number];

/** Whose skills a message may call. */
export const skillSources = ["factory", "project"] as const;
export type SkillSource = (typeof skillSources)[number];

export interface AgentProfile {
  /** The tools of the product that it is offered. */
  tools: ProductToolName[];
  /** Whether it may change the checkout: without, it has neither a shell nor a tool that writes files. */
  writes: boolean;
  git: GitAccess;
  skills: SkillSource[];
  /** All that it is told besides what its tools are for. */
  instructions: string;
}
