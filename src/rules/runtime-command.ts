// A runtime command: `/clear` starts the agent fresh, `/compact` has it summarize its conversation. Nothing else happens in the session
// while one is under way.

export const runtimeCommands = ["/clear", "/compact"] as const;
export type RuntimeCommand = (typeof runtimeCommands)[number];

export const commandStatuses = ["running", "completed", "failed"] as const;
export type CommandStatus = (typeof commandStatuses)[number];

/** One run of a command. */
export interface RuntimeCommandRun {
  id: string;
  command: RuntimeCommand;
  instructions: string | null;
  status: CommandStatus;
  error: string | null;
  startedAt: number;
}
