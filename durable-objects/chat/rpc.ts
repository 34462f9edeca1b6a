// The face that the object of every owner of turns has, whoever the owner is: what a sandbox, a gateway or a sweep asks of it.
import type { Actor } from "../../src/rules/access/actor.ts";
import type { QueuedEdit } from "../../src/rules/chat/queued-message.ts";
import type { ToolAnswer } from "../../src/rules/chat/tool-answer.ts";
import type { TurnLinkClaim } from "../../src/rules/chat/turn-owner.ts";
import type { CheckoutEvent, CodeHostEvent } from "../../src/rules/pull-request/code-host-event.ts";
import type { OpenPrDraft } from "../../src/rules/pull-request/open.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

/** A tool that the owner of a turn runs for its agent, because what it does must be certain. */
export type ToolCall = { tool: "open-pull-request"; draft: OpenPrDraft } | { tool: "ship"; sha: string };

/** A change of one message that waits. */
export type UpNextChange =
  | ({ type: "edit" } & QueuedEdit)
  | { type: "delete"; messageId: string; by: Actor }
  | { type: "move"; messageId: string; by: Actor; toIndex: number };

/** What somebody wants to follow. */
export interface SubscribeRequest {
  /** One turn to its end; null for the whole chat. */
  turnId: string | null;
  /** The turn that its credential dies with, which may be of another chat; null for one that outlives turns. */
  untilTurnId: string | null;
  /** The last event that it knows. */
  lastEventId: string | null;
}

/** `fetch` takes the turn link of a turn, and whoever follows live events. */
export interface TurnOwnerRpc extends Rpc.DurableObjectBranded {
  /** True while the turn, or the command of this id, may call a model or push: nobody asked it to stop, and no newer sandbox has it. */
  isTurnLive(claim: TurnLinkClaim): Promise<boolean>;
  /** True while sandboxes may work for it: it is open, and not deleted. */
  isOpen(): Promise<boolean>;
  /** Takes an event of the code host, or one of its checkout. */
  handleEvent(event: CodeHostEvent | CheckoutEvent): Promise<Refusal | null>;
  /** Does for the agent of a turn what is the service's to do. */
  runTool(turnId: string, call: ToolCall): Promise<ToolAnswer | Refusal>;
  /** Wakes the object, so that it takes up what an earlier life left, and what waits for an alarm that was lost; for the sweep. */
  poke(): Promise<void>;
}
