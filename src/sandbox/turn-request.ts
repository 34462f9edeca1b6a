// A turn request: the owner of a turn asks a sandbox to run it. The sandbox's object adds the
// generation and the tokens, which only it knows.
import type { AgentProfile } from "../chat/rules/agent-profile.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { ChosenOption } from "../chat/rules/message.ts";
import type { TurnModel } from "../model/turn-model.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import type { AttachedFile, GivenPlugin, GivenSkill, TurnStart } from "../sandbox-protocol/protocol.ts";
import type { SandboxOwner } from "./rules/owner.ts";

/** A saved skill of a turn. The sandbox's object gives the turn a URL for it. */
export interface RequestedSkill extends Pick<GivenSkill, "name" | "hash"> {
  /** The R2 key of its files. */
  bodyKey: string;
}

/** A plugin of a turn. */
export interface RequestedPlugin extends Pick<GivenPlugin, "name" | "hash" | "hasFailed"> {
  id: string;
  bodyKey: string;
  /** The user whose plugin it is. */
  userId: string;
}

export interface TurnRequest {
  owner: TurnOwner;
  /** The owner of the sandbox that the turn runs in. */
  sandboxOwner: SandboxOwner;
  turnId: string;
  model: TurnModel;
  /** Who pays for its model calls. */
  payer: Payer;
  prompt: string;
  skill: TurnStart["skill"];
  /** The saved skills that its messages may call, each name once. */
  skills?: RequestedSkill[];
  /** The plugins of the session's Assignee. */
  plugins?: RequestedPlugin[];
  answers: ChosenOption[] | null;
  profile: AgentProfile;
  /** The files of the message. The turn token gives access to their URLs. */
  attachments: AttachedFile[];
  /** The agent's token for the service's API; empty if the agent has no access to it. */
  agentToken: string;
  conversation: TurnStart["conversation"];
}

/** The result of a turn request. */
export type TurnHandover =
  | { taken: true; phases: HandoverPhases }
  /**
   * The sandbox does not have the agent's conversation. The caller repeats the request with a
   * handover.
   */
  | { taken: false; conversationMissing: true }
  | { taken: false; conversationMissing: false; error: string };

/** When each part of a handover was done, in milliseconds since the epoch. */
export interface HandoverPhases {
  /** The sandbox was running and awake. */
  runningAt: number;
  credentialsReadyAt: number;
  /** The request to the program was sent. */
  requestedAt: number;
}

/** A compaction request: the owner of a conversation asks its sandbox to summarize it. */
export interface CompactionRequest {
  owner: TurnOwner;
  sandboxOwner: SandboxOwner;
  /** The id of the runtime command. The token contains it in place of a turn id. */
  commandId: string;
  model: TurnModel;
  payer: Payer;
  conversationId: string;
  profile: AgentProfile;
  /** What the summary must keep, in the user's words; empty if the user did not say. */
  focus: string;
}
