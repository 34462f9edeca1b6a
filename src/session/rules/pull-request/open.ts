// Opens a pull request for an agent (Part 1, "Skill messages"): the request of a `svc:open-pr`
// turn, its outcome, and the session after it. The agent drafts title and body. Everything else
// comes from the user's own message, or from their answer to a question.

import type { ToolAnswer } from "../../../chat/rules/agent-profile.ts";
import { findChosenOptions, isWrittenAfter } from "../../../chat/rules/clarification.ts";
import type { MessageBody, SaidMessage } from "../../../chat/rules/message.ts";
import { isUnfinished, type Turn } from "../../../chat/rules/turn.ts";
import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { type Refusal, refuse } from "../../../rules/refusal.ts";
import { openPrSkill } from "../../../skill/rules/built-in-skills.ts";
import { findCalledBuiltInSkill, parseSkillCall } from "../../../skill/rules/skill-call.ts";
import { mayCallSkill } from "../../../skill/rules/skill-callers.ts";
import type { Session, SessionState } from "../session.ts";
import { readOpenPrFlags } from "./open-flags.ts";
import {
  type Clarity,
  createQuestions,
  type OpenPrAnswer,
  type PendingPullRequest,
  readOpenPrAnswer,
} from "./open-question.ts";
import { findOpenNumber, getOpenPrTask } from "./open-task.ts";
import { isPullRequestOver } from "./pull-request.ts";
import type { OpenPrTask, PullRequestState } from "./state.ts";

/** What the agent passes to its tool. */
export interface OpenPrDraft {
  title: string;
  body: string;
  /** The people and the branch in the user's answer, as the agent understood it. */
  reviewers: string[] | null;
  base: string | null;
}

/** What to do on the code host. */
export interface OpenPrCommand {
  title: string;
  body: string;
  evidence: string[];
  isDraft: boolean;
  /** The open pull request to update; null to open one. */
  number: number | null;
  /**
   * Names as they were written, or the flags that contain them; null leaves the reviewers
   * unchanged.
   */
  reviewers: { names: string[] } | { flags: string } | null;
  /**
   * The branch that the user chose, if the open pull request has another base than the Target
   * Branch.
   */
  base: string | null;
}

/** The outcome of a command. `warning` says why the reviewers of an open one could not be asked. */
export type OpenPrOutcome =
  | { type: "opened"; number: number; url: string; base: string; warning?: string }
  | { type: "unclear"; clarity: Clarity }
  | { type: "refused"; reason: string };

/**
 * The pending pull request that a turn's message may answer: an earlier turn ended with its
 * question, the message was written after that, and it is not a new call.
 */
export function findAnsweredPending(
  { session, chat: { turn } }: SessionState,
  message: SaidMessage,
): PendingPullRequest | null {
  const { openPr } = session;
  if (openPr === null || turn === null || openPr.stage !== "asking" || openPr.turnId === turn.id) return null;
  if (openPr.pending && !isWrittenAfter(message, openPr.pending.askedAt)) return null;
  if (findCalledBuiltInSkill(message, turn.model) !== null) return null;
  return mayCallSkill(openPrSkill, message) ? openPr.pending : null;
}

/** Accepts the agent's request in its turn, or refuses it. */
export function startOpenPr(
  state: SessionState,
  request: { turnId: string; message: SaidMessage; draft: OpenPrDraft },
): Decision<SessionState, OpenPrCommand, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const { turnId, message, draft } = request;
  if (!isUnfinished(turn) || turn.id !== turnId || turn.stopRequestedAt !== null) return overturned;
  if (isPullRequestOver(session.prState)) {
    return refuse(
      "BAD_REQUEST",
      `The pull request of this session has been ${session.prState}. It cannot have another.`,
    );
  }
  const pending = findAnsweredPending(state, message);
  // It stays pending until the outcome is known.
  if (pending !== null) return decided(state, commandFor(session, pending, getChosenAnswer(pending, message), draft));
  if (findCalledBuiltInSkill(message, turn.model)?.name !== "svc:open-pr") {
    return refuse("BAD_REQUEST", "A pull request is opened only when the user's message calls for it by svc:open-pr.");
  }
  const argument = parseSkillCall(message.content, turn.model)?.argument ?? "";
  const { isDraft, evidence } = getOpenPrTask(session, turnId, argument);
  return begin(state, turn, {
    title: draft.title,
    body: draft.body,
    evidence,
    isDraft,
    number: findOpenNumber(session),
    reviewers: readOpenPrFlags(argument).reviewers && { flags: argument },
    base: null,
  });
}

const overturned = refuse("BAD_REQUEST", "This turn is over.");

/** The options of the pending questions that a message chooses. */
export function getChosenAnswer(pending: PendingPullRequest, message: MessageBody): OpenPrAnswer {
  return readOpenPrAnswer(pending, findChosenOptions(createQuestions(pending), message));
}

/**
 * The pending pull request with the user's choices. For the rest, the agent's draft takes
 * precedence over the pending values.
 */
function commandFor(
  session: Session,
  pending: PendingPullRequest,
  answer: OpenPrAnswer,
  draft: Partial<OpenPrDraft> = {},
): OpenPrCommand {
  const names = [...pending.logins, ...answer.logins, ...(draft.reviewers ?? answer.names)];
  const { title, body, evidence, isDraft } = pending;
  return {
    title: draft.title ?? title,
    // An agent that has lost the body sends none, and the pending body stays.
    body: draft.body?.trim() ? draft.body : body,
    evidence,
    isDraft,
    number: findOpenNumber(session),
    reviewers: names.length === 0 ? null : { names },
    base: answer.base ?? draft.base ?? pending.base,
  };
}

/** Continues a pending pull request once the user's answer has settled it. */
export function resumeOpenPr(
  state: SessionState,
  request: { turnId: string; pending: PendingPullRequest; answer: OpenPrAnswer },
): Decision<SessionState, OpenPrCommand, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const { pending, answer } = request;
  if (!isUnfinished(turn) || turn.id !== request.turnId) return overturned;
  return decided(state, commandFor(session, pending, answer));
}

function begin(
  state: SessionState,
  turn: Turn,
  command: OpenPrCommand,
): Decision<SessionState, OpenPrCommand, SessionEffect> {
  const { isDraft, evidence } = command;
  const openPr: OpenPrTask = { turnId: turn.id, isDraft, evidence, stage: "opening", reason: null, pending: null };
  return decided({ ...state, session: { ...state.session, openPr } }, command);
}

/** Applies the outcome of a turn's command. */
export function recordOpenPrOutcome(
  state: SessionState,
  done: { turnId: string; command: OpenPrCommand; outcome: OpenPrOutcome },
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { session } = state;
  const { turnId, command, outcome } = done;
  const { isDraft, evidence } = command;
  const task: OpenPrTask = { turnId, isDraft, evidence, stage: "opened", reason: null, pending: null };
  switch (outcome.type) {
    case "refused": {
      const openPr: OpenPrTask = { ...task, stage: "refused", reason: outcome.reason };
      return decided({ ...state, session: { ...session, openPr } }, null);
    }
    case "unclear": {
      const { title, body, base } = command;
      const pending: PendingPullRequest = { title, body, evidence, isDraft, base, askedAt: now, ...outcome.clarity };
      return decided({ ...state, session: { ...session, openPr: { ...task, stage: "asking", pending } } }, null);
    }
    case "opened": {
      const { number: prNumber, url: prUrl, base: prBase } = outcome;
      // The branch that the user chose becomes the Target Branch. Without a choice, a change made
      // meanwhile stays.
      const targetBranch = command.base === null ? session.targetBranch : prBase;
      const fields = { prNumber, prUrl, prState: stateOpened(session, isDraft), prBase, targetBranch };
      const opened: Session = { ...session, ...fields, openPr: task, updatedAt: now };
      return decided({ ...state, session: opened }, null, [{ type: "index-session" }, { type: "compare-branch" }]);
    }
  }
}

/** A pull request that was merged or closed meanwhile stays so. */
function stateOpened({ prState }: Session, isDraft: boolean): PullRequestState {
  if (isPullRequestOver(prState)) return prState;
  return isDraft ? "draft" : "open";
}

/** The branch to merge into, or what the user has to be asked first. */
export function planBase(
  { base: chosen }: Pick<OpenPrCommand, "base">,
  {
    openBase,
    targetBranch,
    logins,
    unclear,
  }: Pick<Clarity, "logins" | "unclear"> & { openBase: string | null; targetBranch: string },
): { base: string } | { clarity: Clarity } {
  const moved = openBase !== null && openBase !== targetBranch ? { from: openBase, to: targetBranch } : null;
  const isChosen = moved !== null && (chosen === moved.from || chosen === moved.to);
  if (unclear.length > 0 || (moved !== null && !isChosen))
    return { clarity: { logins, unclear, moved: isChosen ? null : moved } };
  return { base: (isChosen ? chosen : null) ?? targetBranch };
}

const bodyCharactersMax = 65_000;

/**
 * The body with links as evidence. The service writes this section itself, so that no link is lost
 * or invented.
 */
export function withEvidence(body: string, links: string[]): string {
  const section = links.length === 0 ? "" : `\n\n## Evidence\n\n${links.map((link) => `- ${link}`).join("\n")}\n`;
  return `${body.trim().slice(0, Math.max(bodyCharactersMax - section.length, 0))}${section}`;
}

/** What the agent's tool returns. */
export function toOpenPrAnswer(command: OpenPrCommand, outcome: OpenPrOutcome): ToolAnswer | Refusal {
  switch (outcome.type) {
    case "refused":
      return refuse("BAD_REQUEST", outcome.reason);
    case "unclear":
      return {
        text: "The user has been asked. Their next message is the answer. Stop here.",
        questions: createQuestions(outcome.clarity),
      };
    case "opened": {
      const kind = command.isDraft ? "a draft" : "ready for review";
      const text = `Pull request ${outcome.number} is ${command.number === null ? "open" : "up to date"}, ${kind}: ${outcome.url}`;
      return { text: outcome.warning === undefined ? text : `${text}\n${outcome.warning}`, questions: null };
    }
  }
}
