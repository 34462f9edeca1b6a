// A turn order: what a session asks of its sandbox. The sandbox's object adds what only it knows, the generation and the tokens.
import type { TurnModel } from "../models/turn-model.ts";
import type { ChosenOption } from "../rules/chat/message.ts";
import type { SandboxOwner } from "../rules/sandbox/sandbox.ts";
import type { AttachedFile, TurnStart } from "./protocol.ts";

export interface TurnOrder {
  owner: SandboxOwner;
  turnId: string;
  model: TurnModel;
  prompt: string;
  skill: TurnStart["skill"];
  answers: ChosenOption[] | null;
  tools: TurnStart["tools"];
  /** Files of the message, each at an address that the turn's token opens. */
  attachments: AttachedFile[];
  /** Opens the service's API to the agent of this turn; empty where it has none. */
  agentToken: string;
  conversation: TurnStart["conversation"];
  instructions: string;
}

/** What became of an order. */
export type OrderOutcome =
  | { taken: true }
  /** The sandbox does not have the agent's conversation; order again with a handover. */
  | { taken: false; conversationMissing: true }
  | { taken: false; conversationMissing: false; error: string };
