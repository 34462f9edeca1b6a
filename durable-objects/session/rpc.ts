// The interface of a session object: every call that others make on it, with its types. Callers
// import only this file.

import type { Actor, Sender } from "../../src/access/rules/actor.ts";
import type { Boot } from "../../src/chat/rules/boot.ts";
import type { TurnView } from "../../src/chat/rules/live-event.ts";
import type { Delivery } from "../../src/chat/rules/send.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { MessagePageRequest } from "../../src/chat/wire/message-page.ts";
import type { CommentChange, CommentText, ReviewComment } from "../../src/checkout/rules/review-comment.ts";
import type { TurnModelFacts } from "../../src/model/rules/choice.ts";
import type { CallFailure } from "../../src/model-gateway/rules/failure.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { GitCommit, GitCommitted } from "../../src/sandbox-protocol/protocol.ts";
import type { SessionRestore } from "../../src/session/queries/restores.ts";
import type { BranchHeads, BranchMove } from "../../src/session/rules/branch.ts";
import type { CommandRequest, RuntimeCommandRun } from "../../src/session/rules/runtime-command.ts";
import type { DeliveryFacts, SendCommand } from "../../src/session/rules/send.ts";
import type { NewSession, SessionState } from "../../src/session/rules/session.ts";
import type { SessionSummary } from "../../src/session/rules/summary.ts";
import type { SessionChanges } from "../../src/session/rules/update.ts";
import type { SessionVersion } from "../../src/session/rules/version.ts";
import type { QueueChange, TurnOwnerRpc } from "../chat/rpc.ts";

/** A message to send, as a route forwards it. The object generates the ids. */
export interface SendRequest extends Omit<SendCommand, "messageId" | "turnId"> {
  /** True for a message that is steered into the running turn if it would wait. */
  steers?: boolean;
}

/**
 * The facts that a route sends with a call that may start a turn. The object adds the catalog and
 * what it determines itself.
 */
export interface WorkFacts extends Omit<DeliveryFacts, "catalog" | "sessionNanoUsd" | "acquired"> {
  /** True if the plan limits sandboxes, so that a wake must claim a slot. */
  isSandboxLimited: boolean;
  /** True if a spare of the project is ready for a session that has had no sandbox. */
  hasSpare: boolean;
}

export interface Sent {
  delivery: Delivery;
  /** The steer of a message that asked to be steered; null if it was not. */
  steerId: string | null;
  /**
   * True if an earlier request with the same key got this result. The files of this request are
   * then unused.
   */
  isRepeat: boolean;
}

export interface FirstMessage {
  request: Omit<SendRequest, "by">;
  facts: WorkFacts;
}

/** The result of a start. A repeat gets the same result. */
export interface StartResult {
  session: SessionSummary;
  delivery: Delivery | null;
}

/** The result of the start of a new session. */
export interface StartedSession extends StartResult {
  /** True if the first message is that of an earlier request with the same key. */
  isRepeat: boolean;
}

/** A session that the agent of a turn files. */
export interface Filing {
  turnId: string;
  /** The id of the new session. */
  filedId: string;
}

/** A call about the review comments of the session. */
export type CommentCommand =
  | { type: "list" }
  /** With the id of an existing comment, it changes nothing. */
  | { type: "add"; id?: string; text: CommentText; by: Sender }
  | { type: "change"; commentId: string; change: CommentChange; by: Actor }
  /** The current text of the commented lines. */
  | { type: "note-lines"; texts: Record<string, string> }
  | { type: "delete"; commentId: string; by: Actor };

export interface CommitRequest extends GitCommit {
  by: Actor;
  /** The owner of the sandbox, or why there is none. Only a first request is refused for that. */
  owner: SandboxOwner | Refusal;
}

export interface PushRequest extends Pick<CommitRequest, "owner"> {
  /** The member who pushes; null for a caller that acts for none. */
  userId: string | null;
}

/**
 * A turn, how far the start of its sandbox is while it is pending, and in a read of one turn, its
 * last sign of life.
 */
export type ShownTurn = Turn & Pick<TurnView, "boot" | "lastSignAt">;

/** How a restore ended. `absent`: the session did not exist at that time. */
export type Restored = "restored" | "absent" | "not-restored";

/**
 * The session object: one per chat session, and the authority on its turns, its messages and Up
 * next.
 */
export interface SessionRpc extends TurnOwnerRpc {
  create(
    command: NewSession,
    start: { by: Sender; first: FirstMessage | null },
    repeat: Idempotency | null,
  ): Promise<StartedSession | Refusal>;
  /** Takes the session out of the Backlog. Its saved prompt starts the first turn. */
  activate(
    request: Omit<SendRequest, "body">,
    facts: WorkFacts,
    repeat: Idempotency | null,
  ): Promise<StartResult | Refusal>;
  /**
   * Counts a session that the agent of a turn files. Returns the depth of the filed session, or why
   * it is not filed.
   */
  fileSession(filing: Filing): Promise<{ filedDepth: number } | Refusal>;
  read(): Promise<SessionState | Refusal>;
  /** Why the session's spend limit allows no call at the cost of this payer; null if it does. */
  checkSpend(payer: Payer): Promise<CallFailure | null>;
  /**
   * Takes a spare for a session that has had no sandbox. Returns the key of the session's sandbox,
   * whether it is a spare or not; null for an unknown session.
   */
  claimSpare(): Promise<string | null>;
  /** Makes the next model call read again what the workspace pays with. */
  forgetLogins(): Promise<void>;
  /** The session's version, for uploads and for manual changes in the checkout. */
  version(): Promise<SessionVersion | Refusal>;
  update(changes: SessionChanges, by: Actor, models: Pick<TurnModelFacts, "runnable">): Promise<SessionState | Refusal>;
  /** Deletes the session. */
  delete(by: Actor): Promise<Refusal | null>;
  /** Why the session cannot be set back to a time; null if it can. Changes nothing. */
  checkRestore(time: number): Promise<Refusal | null>;
  /**
   * Restarts the object with its storage of an earlier time. Throws then, because the object stops:
   * `settleRestore` says whether it worked. Returns a refusal if nothing was changed.
   */
  restore(restore: Pick<SessionRestore, "sessionId" | "token" | "toTime">): Promise<Refusal>;
  /**
   * Settles the restored session, replaces the names of people who were deleted since, and returns
   * once lists show it. People are given by their ids. Repeatable.
   */
  settleRestore(restore: SessionRestore, deletedPeople: string[]): Promise<Restored>;
  /** Restarts the object with the storage before the restore. Throws then. */
  undoRestore(restore: SessionRestore): Promise<void>;

  send(request: SendRequest, facts: WorkFacts, repeat: Idempotency | null): Promise<Sent | Refusal>;
  sendQueued(messageId: string, by: Actor, facts: WorkFacts, repeat: Idempotency | null): Promise<Delivery | Refusal>;
  /** Steers a message into the running turn. */
  steer(messageId: string, by: Actor, repeat: Idempotency | null): Promise<{ steerId: string } | Refusal>;
  resumeQueue(by: Actor, facts: WorkFacts, repeat: Idempotency | null): Promise<Refusal | null>;
  updateQueue(change: QueueChange): Promise<Refusal | null>;

  /**
   * Returns a turn. If it has just ended, this waits until its usage is counted in the workspace's.
   */
  turn(turnId: string): Promise<ShownTurn | null>;
  /** Turns without their results, which may be large, newest first. `page` counts from 1. */
  turns(page: number, pageSize: number): Promise<{ turns: ShownTurn[]; total: number }>;
  /** Shows how far the start of the sandbox is, to those who read the pending turn. */
  showBoot(boot: Boot): Promise<void>;
  cancel(turnId: string, by: Actor): Promise<{ settled: boolean } | Refusal>;
  runCommand(request: CommandRequest & { by: Actor }, repeat: Idempotency | null): Promise<RuntimeCommandRun | Refusal>;
  /** The conversation as a JSON array, oldest message first. */
  messages(): Promise<ReadableStream<Uint8Array>>;
  /**
   * What the block of a tool shows of its output; null for another block, and while the tool runs.
   */
  toolOutput(turnId: string, place: number): Promise<string | null>;
  /** One page of the conversation, as the JSON of `readMessagePage`. */
  messagePage(request: MessagePageRequest): Promise<string>;
  /** The newest messages for a page: a `ShownConversation` as JSON. */
  newestMessages(): Promise<string>;

  /** Adding a comment is repeatable. */
  reviewComments(command: CommentCommand, repeat?: Idempotency | null): Promise<ReviewComment[] | Refusal>;
  /** Commits every change in the sandbox, of members and of earlier turns. */
  commit(request: CommitRequest, repeat: Idempotency | null): Promise<GitCommitted | Refusal>;
  /** Pushes the branch, unless a turn runs. */
  push(request: PushRequest, repeat: Idempotency | null): Promise<Refusal | null>;
  /** The stored result of a request; null for a first one. */
  findResult(repeat: Idempotency): Promise<{ result: string | StartResult } | Refusal | null>;
  /**
   * Stores the result of a request that the session does not carry out itself. Returns that of
   * the first of several concurrent requests.
   */
  saveResult(repeat: Idempotency, result: string): Promise<string | Refusal>;
  /**
   * The commits at which the branch has been, including a push that the code host has just
   * accepted.
   */
  branchHeads(moved: BranchMove | null): Promise<BranchHeads>;
  /**
   * Records a push before it is forwarded, because the code host's report of it may be lost.
   * Returns the commits at which the branch has been.
   */
  attemptPush(move: BranchMove): Promise<BranchHeads>;
  /** Stops the running turn, then pauses the sandbox. */
  stopSandbox(by: Actor): Promise<boolean>;
}
