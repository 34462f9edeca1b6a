// The profile of a turn's agent: its permissions and instructions. The owner of the turn sets it, so the sandbox program needs to know nothing
// else about the owner.

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
] as const;
export type ProductToolName = (typeof productToolNames)[number];

/** The agent's access to the repository on the code host. */
export const gitAccesses = ["none", "fetch", "push"] as const;
export type GitAccess = (typeof gitAccesses)[number];

/** The sources of the skills that a message may call. */
export const skillSources = ["factory", "project"] as const;
export type SkillSource = (typeof skillSources)[number];

export interface AgentProfile {
  /** The product's tools that it is offered. */
  tools: ProductToolName[];
  /**
   * True if it may change the checkout. Otherwise it has neither a shell nor tools that write files, and its turn runs beside a turn that
   * changes the checkout and beside other turns that read.
   */
  writes: boolean;
  git: GitAccess;
  skills: SkillSource[];
  /**
   * Known skills that it does not reach. A first message that calls one, which the checkout does not have either, is filed in the Backlog word
   * for word, and no model is asked.
   */
  skillsElsewhere?: string[] | undefined;
  /** True if the owner of the turn keeps the log of the program. */
  keepsLog?: boolean | undefined;
  /** Its instructions, besides the descriptions of its tools. */
  instructions: string;
}
