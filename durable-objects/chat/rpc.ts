// The interface of the object of any owner of turns: the calls of sandboxes, gateways and sweeps.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { ProductToolName, ToolAnswer } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { QueuedEdit } from "../../src/chat/rules/queue.ts";
import type { Disconnection } from "../../src/chat/rules/turn-end.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import type { CallFailure } from "../../src/model-gateway/rules/failure.ts";
import type { PayerLogins } from "../../src/provider-login/queries/logins.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { CheckoutEvent, CodeHostEvent } from "../../src/session/rules/pull-request/code-host-event.ts";
import type { OpenPrDraft } from "../../src/session/rules/pull-request/open.ts";
import type { CallTokens } from "../../src/usage/rules/usage.ts";

/**
 * A tool that the service runs for the agent of a turn, because it must not be left to the agent.
 */
export type ToolCall = { tool: "open-pull-request"; draft: OpenPrDraft } | { tool: "ship"; sha: string };

export interface CallRefused extends CallFailure {
  type: "refused";
}

/** A model call that may go to its provider. */
export interface OpenCall {
  type: "open";
  /** What its turn or command has cost the workspace this month, before this call. */
  countedNanoUsd: number;
  /** What the payer has at the provider; null if it has to be read. */
  logins: PayerLogins | null;
  counter: CallCounter;
}

/**
 * Counts an open call once it is answered. It is a part of the object call that opened it: the
 * platform has both as one, and neither side looks the other up again. Whoever holds it disposes of
 * it.
 */
export interface CallCounter extends Rpc.RpcTargetBranded {
  /**
   * From now on the call is in every count that is read, but perhaps not stored yet. `id` is drawn
   * by the caller: the same one is counted once, also if it is told again by `countCall`.
   */
  answered(answer: Pick<AnsweredCall, "id" | "tokens">): Promise<void>;
  /** Answers once the call is stored. */
  counted(answer: Pick<AnsweredCall, "id" | "tokens">): Promise<void>;
  /** Keeps what was read for the call, for the next ones of its turn. */
  keepLogins(logins: PayerLogins): Promise<void>;
}

/** Who pays for a call, and where. */
export interface CallPayer {
  payer: Payer;
  provider: ProviderId;
}

/** A model call that was answered. */
export interface AnsweredCall {
  /** Drawn by who made it. The same id is counted once. */
  id: string;
  /** The turn or the runtime command that made it, or an id of its own. */
  workId: string;
  payer: Payer;
  tokens: CallTokens;
  /**
   * Of work that is no turn: its model, and the member for whom it was done. By default the chat's
   * model, and nobody.
   */
  model?: string | null;
  memberId?: string | null;
}

/** A change of one waiting message. */
export type UpNextChange =
  | ({ type: "edit" } & QueuedEdit)
  | { type: "delete"; messageId: string; by: Actor }
  | { type: "move"; messageId: string; by: Actor; toIndex: number };

/** A request to follow live events. */
export interface SubscribeRequest {
  /** One turn to its end; null for the whole chat. */
  turnId: string | null;
  /**
   * The turn with which the subscriber's credential expires, perhaps one of another chat; null for
   * a credential without a turn.
   */
  untilTurnId: string | null;
  /** The last event that the subscriber has. */
  lastEventId: string | null;
  /** True for a person; an agent, a run or a relay follows without looking. */
  isPerson?: boolean;
}

/** `fetch` accepts turn links and subscriptions to live events. */
export interface TurnOwnerRpc extends Rpc.DurableObjectBranded {
  /**
   * True while the turn or command with this id may call a model or push: it was not stopped, and
   * no newer generation runs it.
   */
  isTurnLive(claim: TurnLinkClaim): Promise<boolean>;
  /**
   * Opens a model call of the turn or command with this id; refuses one that is over, or whose
   * owner may spend no more.
   */
  openCall(claim: TurnLinkClaim, at: CallPayer): Promise<OpenCall | CallRefused>;
  /**
   * Counts a model call that was answered, once. The workspace is told of a running turn's calls
   * later, all at once; for others this answers when it was told, or could not be told yet.
   */
  countCall(call: AnsweredCall): Promise<void>;
  /** True while sandboxes may work for it: it is open, and not deleted. */
  isOpen(): Promise<boolean>;
  /**
   * When a person last read its live events, in milliseconds since the epoch; null if nobody did.
   */
  lastReadAt(): Promise<number | null>;
  /** Ends the running turn if a subscription that is disconnected pays for it. */
  endDisconnected(gone: Disconnection): Promise<void>;
  /** Handles an event of the code host, or of its checkout. */
  handleEvent(event: CodeHostEvent | CheckoutEvent): Promise<Refusal | null>;
  /** Refuses a tool that the live turn of a claim does not have. */
  checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null>;
  /** Runs a tool of the service for the agent of a turn. */
  runTool(turnId: string, call: ToolCall): Promise<ToolAnswer | Refusal>;
  /**
   * Wakes the object, so that it performs stored effects and sets a lost alarm again. Called by the
   * sweep.
   */
  poke(): Promise<void>;
  /** Tries the parked effects again, and answers how many there are. */
  retryParked(): Promise<number>;
}
