// A turn request: what the owner of a turn asks of the sandbox that it is to work in. The sandbox's object adds what only it knows, the
// generation and the tokens.
import type { TurnModel } from "../models/turn-model.ts";
import type { AgentProfile } from "../rules/chat/agent-profile.ts";
import type { ChosenOption } from "../rules/chat/message.ts";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import type { SandboxOwner } from "../rules/sandbox/owner.ts";
import type { AttachedFile, TurnStart } from "./protocol.ts";

export interface TurnRequest {
  owner: TurnOwner;
  /** Whose sandbox it works in. */
  sandboxOwner: SandboxOwner;
  turnId: string;
  model: TurnModel;
  prompt: string;
  skill: TurnStart["skill"];
  answers: ChosenOption[] | null;
  profile: AgentProfile;
  /** Files of the message, each at an address that the turn's token opens. */
  attachments: AttachedFile[];
  /** Opens the service's API to the agent of this turn; empty where it has none. */
  agentToken: string;
  conversation: TurnStart["conversation"];
}

/** What became of a request. */
export type TurnHandover =
  | { taken: true }
  /** The sandbox does not have the agent's conversation; ask again with a handover. */
  | { taken: false; conversationMissing: true }
  | { taken: false; conversationMissing: false; error: string };
