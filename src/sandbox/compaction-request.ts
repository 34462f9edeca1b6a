// A compaction request: what the owner of a conversation asks of its sandbox when the agent is to summarize it.
import type { TurnModel } from "../models/turn-model.ts";
import type { AgentProfile } from "../rules/chat/agent-profile.ts";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import type { SandboxOwner } from "../rules/sandbox/owner.ts";

export interface CompactionRequest {
  owner: TurnOwner;
  sandboxOwner: SandboxOwner;
  /** Names the runtime command; it stands in the token where a turn's id would. */
  commandId: string;
  model: TurnModel;
  conversationId: string;
  profile: AgentProfile;
  /** What the summary should keep, in the user's words; empty for nothing in particular. */
  focus: string;
}
