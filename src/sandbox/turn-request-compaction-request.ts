// A compaction request: the owner of a conversation has its sandbox summarize it.

import type { AgentProfile } from "../chat/rules/agent-profile.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { TurnModel } from "../model/turn-model.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import type { SandboxOwner } from "./rules/owner.ts";

export interface CompactionRequest {
  owner: TurnOwner;
  sandboxOwner: SandboxOwner;
  /** The id of the runtime command. The token has it in place of a turn id. */
  commandId: string;
  model: TurnModel;
  payer: Payer;
  conversationId: string;
  profile: AgentProfile;
  /** What the summary is to keep, in the user's words; empty if the user did not say. */
  focus: string;
}
