// The state of a session for tests of its rules: a new Active session, with the changes of a test.

import type { Author, Sender } from "../../src/access/rules/actor.ts";
import type { Role } from "../../src/access/rules/membership.ts";
import type { ChatState } from "../../src/chat/rules/chat.ts";
import { createTextMessage, type SaidMessage } from "../../src/chat/rules/message.ts";
import type { QueuedMessage } from "../../src/chat/rules/queue.ts";
import type { Turn, TurnStatus } from "../../src/chat/rules/turn.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { Decided, Decision } from "../../src/rules/decision.ts";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import type { Acquired } from "../../src/session/rules/acquired.ts";
import type { SendCommand, SendFacts } from "../../src/session/rules/send.ts";
import type { Session, SessionState } from "../../src/session/rules/session.ts";
import { noSpend } from "../../src/usage/rules/spend-limit.ts";
import type { SandboxLimit } from "../../src/workspace/rules/billing-plan.ts";

/** The current time in these tests. */
export const now = Date.UTC(2026, 0, 15, 12);

/** A member's author record. */
export function member(userId = "usr_ada"): Extract<Author, { kind: "member" }> {
  return { kind: "member", userId, name: userId, email: `${userId}@example.com`, imageUrl: null };
}

export const cron: Author = { kind: "cron", cronId: "cron-1", runId: "run-1" };
export const otherSession: Author = { kind: "session", sessionId: "session-2" };
export const relay: Author = { kind: "relay" };

/** A member as the sender. */
export function byMember(userId = "usr_ada", role: Role | null = "member"): Extract<Sender, { type: "member" }> {
  const { name, email, imageUrl } = member(userId);
  return { type: "member", user: { id: userId, name, email, imageUrl }, role };
}

/**
 * An author as the sender. An author who is not a member acts for the user with this id, or for
 * nobody.
 */
export function byAuthor(author: Author, userId: string | null = null): Sender {
  const { user, role } = { user: null, role: null, ...(userId === null ? {} : byMember(userId)) };
  switch (author.kind) {
    case "member":
      return byMember(author.userId);
    case "session":
      return { type: "session-agent", sessionId: author.sessionId, user, role };
    case "cron":
      return { type: "cron-run", cronId: author.cronId, runId: author.runId, user, role, writer: "creator" };
    case "relay":
      return { type: "relay" };
    case "trigger":
      return {
        ...{ type: "trigger", ...author, askedBy: null, replacesWaiting: true, attemptsMax: 3, sessionLimitUsd: 5 },
        ...{ resumesReview: false, returnsToReview: false },
      };
    case "service":
      throw new RangeError("The service sends no messages.");
  }
}

/** A turn in a status, with the fields that belong to the status. */
export function turn(status: TurnStatus, changes: Partial<Turn> = {}): Turn {
  const isPending = status === "pending";
  const isRunning = status === "running";
  return {
    id: "turn-1",
    number: 1,
    status,
    error: status === "failed" ? "It broke." : null,
    errorCode: null,
    sender: member(),
    model: "anthropic:opus__high",
    payer: null,
    usage: null,
    generation: isPending ? 0 : 1,
    stopRequestedAt: null,
    conversationId: "conversation-1",
    isHandover: false,
    resultSchema: null,
    result: null,
    createdAt: now - 2_000,
    startedAt: isPending ? null : now - 1_000,
    completedAt: isPending || isRunning ? null : now,
    ...changes,
  };
}

/** Queued messages in this order. */
export function waiting(...ids: string[]): QueuedMessage[] {
  return ids.map((id) => ({
    ...createTextMessage(`content of ${id}`),
    id,
    author: member(),
    version: 1,
    editing: null,
    createdAt: now,
  }));
}

/** A message with an author. */
export function said(content: string, author: Author = member()): SaidMessage {
  return { ...createTextMessage(content), author };
}

/** The state of a new chat. */
export function chatState(changes: Partial<ChatState> = {}): ChatState {
  return {
    turn: null,
    upNext: [],
    steers: [],
    pause: null,
    model: "anthropic:opus__high",
    conversationId: "conversation-1",
    clearedAt: null,
    endedTurn: null,
    newMessages: [],
    ...changes,
  };
}

/**
 * The state of a session. `session` changes fields of its record; the other changes are of its
 * chat.
 */
export function sessionState({
  session,
  ...chat
}: Partial<ChatState> & { session?: Partial<Session> } = {}): SessionState {
  return {
    session: {
      id: "session-1",
      workspaceId: "ws_1",
      projectId: "project-1",
      title: "Fix the board",
      titleSource: "person",
      prompt: null,
      promptWriter: null,
      filedDepth: 0,
      status: "active",
      spendLimitUsd: null,
      priority: "none",
      branch: "svc/fix-the-board-abcdef",
      targetBranch: "main",
      metadata: {},
      sandboxKey: "s0123456789abcdef",
      assignee: { kind: "member", userId: "usr_ada", name: "usr_ada", imageUrl: null },
      createdBy: "usr_ada",
      filedBy: null,
      prUrl: null,
      prNumber: null,
      prState: null,
      prBase: null,
      isBehind: false,
      needsYouSince: null,
      targetCommit: null,
      prReport: null,
      openPr: null,
      ship: null,
      automatic: null,
      command: null,
      createdAt: now - 10_000,
      updatedAt: now - 10_000,
      startedAt: now - 10_000,
      endedAt: null,
      ...session,
    },
    chat: chatState(chat),
  };
}

/** A send of `message-1`, which would start `turn-9`. */
export function sendCommand(changes: Partial<SendCommand> = {}): SendCommand {
  return {
    messageId: "message-1",
    turnId: "turn-9",
    body: createTextMessage("Fix it."),
    by: byMember(),
    model: null,
    runningTurnId: null,
    retriedTurnId: null,
    seen: null,
    ...changes,
  };
}

/** The facts of a workspace with one provider and no defaults. */
export function sendFacts(changes: Partial<SendFacts> = {}): SendFacts {
  return {
    catalog,
    runnable: new Set(["anthropic"]),
    subscribed: new Set(),
    assigneeDefaultModel: null,
    workspaceDefaultModel: null,
    workspaceSpend: noSpend,
    sessionNanoUsd: 0,
    generatesTitles: false,
    runningTurnWasStopped: false,
    sandbox: "running",
    isHeldByDeploy: false,
    isBlockedOnBilling: false,
    acquired: null,
    ...changes,
  };
}

/** What the commit of work has acquired. */
export function acquired(changes: Partial<Acquired>): { acquired: Acquired } {
  return { acquired: { pullRequest: null, slot: "not-needed", ...changes } };
}

/** The facts of a commit in a plan that has no room for another sandbox. */
export const noRoom = (full: SandboxLimit = "workspace") => acquired({ slot: { full } });

/** Returns an accepted decision. A refusal fails the test. */
export function accepted<State, Result, Effect>(
  decision: Decision<State, Result, Effect>,
): Decided<State, Result, Effect> {
  if (isRefusal(decision)) throw new Error(`refused: ${decision.code} ${decision.message}`);
  return decision;
}

/** The code of a refusal; null for an accepted decision. */
export function refusalCode(decision: unknown): RefusalCode | null {
  return isRefusal(decision) ? decision.code : null;
}
