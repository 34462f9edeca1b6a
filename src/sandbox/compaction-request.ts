// A compaction order: what a session asks of its sandbox when the agent's conversation is to be summarized.
import type { TurnModel } from "../models/turn-model.ts";
import type { SandboxOwner } from "../rules/sandbox/sandbox.ts";

export interface CompactionOrder {
  owner: SandboxOwner;
  /** Names the runtime command; it stands in the token where a turn's id would. */
  commandId: string;
  model: TurnModel;
  conversationId: string;
  /** What the agent is told besides its own instructions. */
  instructions: string;
  /** What the summary should keep, in the user's words; empty for nothing in particular. */
  focus: string;
}
