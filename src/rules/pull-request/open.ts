// Opening a pull request for an agent (Part 1, "Skill messages"): what a turn of `svc:open-pr` wants, what has come of it, and what it makes of
// the session. The agent gives title and body; all else is read from the user's own message, or understood from their answer to a question.

import { isWrittenAfter, optionsChosen } from "../chat/clarification-answer.ts";
import type { MessageBody } from "../chat/message.ts";
import { isUnfinished, type Turn } from "../chat/turn.ts";
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { refuse } from "../refusal.ts";
import type { Session, SessionState } from "../session/session.ts";
import { factorySkillCalled, skillCall } from "../skill/skill-call.ts";
import { readWishAnswer, type WishAnswer } from "./open-answer.ts";
import { readOpenPrFlags } from "./open-flags.ts";
import { type Clarity, type NewPullRequest, questionsOf } from "./open-question.ts";
import { openNumber, taskOf } from "./open-task.ts";
import { isPullRequestOver } from "./pull-request.ts";
import type { OpenPrTask, PullRequestState } from "./state.ts";

/** What the agent says when it wants the pull request opened. */
export interface AgentWords {
  title: string;
  body: string;
  /** Whom the user's answer meant, and which branch, as the agent understood it. */
  reviewers: string[] | null;
  base: string | null;
}

/** What is to be done at the code host. */
export interface OpenPrOrder {
  title: string;
  body: string;
  evidence: string[];
  isDraft: boolean;
  /** The one that is open; null to open one. */
  number: number | null;
  /** Names as somebody wrote them, or the flags that they stand in; null leaves the reviewers as they are. */
  reviewers: { names: string[] } | { flags: string } | null;
  /** Which branch the user chose, where the open one was made for another than the Target Branch. */
  base: string | null;
}

/** What came of an order. */
export type OpenPrOutcome =
  | { is: "opened"; number: number; url: string; base: string }
  | { is: "unclear"; clarity: Clarity }
  | { is: "refused"; reason: string };

/**
 * The wish that a turn's message may answer: an earlier turn ended on its question, the message was written after that, and no newer call takes
 * its place.
 */
export function wishAnswered({ session, chat: { turn } }: SessionState, message: MessageBody): NewPullRequest | null {
  const { openPr } = session;
  if (openPr === null || turn === null || openPr.stage !== "asking" || openPr.turnId === turn.id) return null;
  if (!isWrittenAfter(message, openPr.wish?.askedAt ?? 0)) return null;
  return factorySkillCalled(message.content, turn.model) === null ? openPr.wish : null;
}

/** Begins with what the agent of the turn asks for, or refuses it. */
export function beginOpening(
  state: SessionState,
  command: { turnId: string; message: MessageBody; words: AgentWords },
): Decision<SessionState, OpenPrOrder, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const { turnId, message, words } = command;
  if (!isUnfinished(turn) || turn.id !== turnId || turn.stopRequestedAt !== null) return overturned;
  if (isPullRequestOver(session.prState)) {
    return refuse(
      "BAD_REQUEST",
      `The pull request of this session has been ${session.prState}. It cannot have another.`,
    );
  }
  const wish = wishAnswered(state, message);
  // It waits on until something has come of this.
  if (wish !== null) return decided(state, orderOfWish(session, wish, answerTo(wish, message), words));
  if (factorySkillCalled(message.content, turn.model)?.name !== "svc:open-pr") {
    return refuse("BAD_REQUEST", "A pull request is opened only when the user's message calls for it by svc:open-pr.");
  }
  const argument = skillCall(message.content, turn.model)?.argument ?? "";
  const { isDraft, evidence } = taskOf(session, turnId, argument);
  return begin(state, turn, {
    title: words.title,
    body: words.body,
    evidence,
    isDraft,
    number: openNumber(session),
    reviewers: readOpenPrFlags(argument).reviewers && { flags: argument },
    base: null,
  });
}

const overturned = refuse("BAD_REQUEST", "This turn is over.");

/** What a message chooses of the options that wait. */
export function answerTo(wish: NewPullRequest, message: MessageBody): WishAnswer {
  return readWishAnswer(wish, optionsChosen(questionsOf(wish), message));
}

/** With what the user chose; the rest is as the agent understood it, or else as it was. */
function orderOfWish(
  session: Session,
  wish: NewPullRequest,
  answer: WishAnswer,
  words: Partial<AgentWords> = {},
): OpenPrOrder {
  const names = [...wish.logins, ...answer.logins, ...(words.reviewers ?? answer.names)];
  const { title, body, evidence, isDraft } = wish;
  return {
    title: words.title ?? title,
    // An agent that no longer knows what was written leaves it as it was.
    body: words.body?.trim() ? words.body : body,
    evidence,
    isDraft,
    number: openNumber(session),
    reviewers: names.length === 0 ? null : { names },
    base: answer.base ?? words.base ?? wish.base,
  };
}

/** Begins with what a user's answer has settled; the turn that the answer starts finishes it. */
export function beginAnswered(
  state: SessionState,
  command: { turnId: string; wish: NewPullRequest; answer: WishAnswer },
): Decision<SessionState, OpenPrOrder, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const { wish, answer } = command;
  if (!isUnfinished(turn) || turn.id !== command.turnId) return overturned;
  return decided(state, orderOfWish(session, wish, answer));
}

function begin(
  state: SessionState,
  turn: Turn,
  order: OpenPrOrder,
): Decision<SessionState, OpenPrOrder, SessionEffect> {
  const { isDraft, evidence } = order;
  const openPr: OpenPrTask = { turnId: turn.id, isDraft, evidence, stage: "opening", reason: null, wish: null };
  return decided({ ...state, session: { ...state.session, openPr } }, order);
}

/** Takes note of what came of an order of the turn. */
export function noteOpening(
  state: SessionState,
  news: { turnId: string; order: OpenPrOrder; outcome: OpenPrOutcome },
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { session } = state;
  const { turnId, order, outcome } = news;
  const { isDraft, evidence } = order;
  const task: OpenPrTask = { turnId, isDraft, evidence, stage: "opened", reason: null, wish: null };
  switch (outcome.is) {
    case "refused": {
      const openPr: OpenPrTask = { ...task, stage: "refused", reason: outcome.reason };
      return decided({ ...state, session: { ...session, openPr } }, null);
    }
    case "unclear": {
      const { title, body, base } = order;
      const wish: NewPullRequest = { title, body, evidence, isDraft, base, askedAt: now, ...outcome.clarity };
      return decided({ ...state, session: { ...session, openPr: { ...task, stage: "asking", wish } } }, null);
    }
    case "opened": {
      const { number: prNumber, url: prUrl, base: prBase } = outcome;
      // What the user chose here; who changes it meanwhile has the last word.
      const targetBranch = order.base === null ? session.targetBranch : prBase;
      const told = { prNumber, prUrl, prState: stateOpened(session, isDraft), prBase, targetBranch };
      const opened: Session = { ...session, ...told, openPr: task, updatedAt: now };
      return decided({ ...state, session: opened }, null, [{ type: "index-session" }, { type: "compare-branch" }]);
    }
  }
}

/** What ended meanwhile stays ended. */
function stateOpened({ prState }: Session, isDraft: boolean): PullRequestState {
  if (isPullRequestOver(prState)) return prState;
  return isDraft ? "draft" : "open";
}
