// The pull request that a turn opens: what the agent asks for by its tool, and what waited for a user's answer and goes on with it.

import { codeHost } from "../../../src/code-host/code-host.ts";
import { service } from "../../../src/rules/access/actor.ts";
import type { ToolAnswer } from "../../../src/rules/chat/tool-answer.ts";
import { type Turn, turnStarted } from "../../../src/rules/chat/turn.ts";
import {
  type AgentWords,
  answerTo,
  beginAnswered,
  beginOpening,
  noteOpening,
  type OpenPrOrder,
  type OpenPrOutcome,
  wishAnswered,
} from "../../../src/rules/pull-request/open.ts";
import { type Clarity, type NewPullRequest, questionsOf } from "../../../src/rules/pull-request/open-question.ts";
import { callForOpening } from "../../../src/rules/pull-request/open-task.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import { factorySkillCalled } from "../../../src/rules/skill/skill-call.ts";
import { findProject } from "../../../src/storage/queries/projects.ts";
import { noSession, type SessionContext } from "../context.ts";
import { openPullRequest } from "./open-on-code-host.ts";

type Done = OpenPrOutcome & { warning?: string };

/** Opens the pull request as the agent of a turn asks for it. Asked again, it opens nothing twice. */
export async function openForTurn(
  context: SessionContext,
  turnId: string,
  words: AgentWords,
): Promise<ToolAnswer | Refusal> {
  return await context.inTurn("pull-request", async () => {
    const message = context.chat.conversation.firstMessageOf(turnId);
    const order = context.decide(service, (state) => beginOpening(state, { turnId, message, words }));
    if (isRefusal(order)) return order;
    const outcome = await carryOut(context, order);
    const noted = context.decide(service, (state, now) => noteOpening(state, { turnId, order, outcome }, now));
    return isRefusal(noted) ? noted : answerOf(order, outcome);
  });
}

/** What the agent of a turn is told of a pull request that waited for this message; null where none did. */
export interface WaitingPullRequest {
  note: string;
  /** True while it is the agent's to go on with it. */
  isOpen: boolean;
}

/** Finishes what the message of a turn settles, or asks for the rest, which ends the turn. Safe to repeat. */
export async function finishWaiting(
  context: SessionContext,
  turn: Turn,
): Promise<WaitingPullRequest | "asked-again" | null> {
  const message = context.chat.conversation.firstMessageOf(turn.id);
  const isCall = factorySkillCalled(message.content, turn.model) !== null;
  if (isCall) context.decide(service, (state) => callForOpening(state, { turnId: turn.id, message: message.content }));
  const state = context.store.find();
  const task = state?.session.openPr;
  if (task?.turnId === turn.id && task.stage === "opened") return finished(state?.session.prUrl ?? "");
  const wish = state && wishAnswered(state, message);
  if (!wish) return null;
  const answer = answerTo(wish, message);
  if (answer.givesUp) return givenUp(wish.title);
  // What is left of the questions, a text may answer.
  if (answer.settles === "nothing" || (answer.settles === "some" && message.content.trim() !== ""))
    return waiting(wish, null);
  const order = context.decide(service, (current) => beginAnswered(current, { turnId: turn.id, wish, answer }));
  if (isRefusal(order)) return waiting(wish, null);
  const outcome = await carryOut(context, order);
  switch (outcome.is) {
    case "opened":
      context.decide(service, (current, now) => noteOpening(current, { turnId: turn.id, order, outcome }, now));
      return finished(outcome.url);
    case "unclear":
      askAgain(context, turn, { order, clarity: outcome.clarity });
      return "asked-again";
    case "refused":
      return waiting(wish, outcome.reason);
  }
}

/** Ends the turn on a question of its own. No agent is needed for that, so none is started. */
function askAgain(
  context: SessionContext,
  turn: Turn,
  { order, clarity }: { order: OpenPrOrder; clarity: Clarity },
): void {
  const { id: turnId, generation } = turn;
  const outcome: OpenPrOutcome = { is: "unclear", clarity };
  const started = context.chat.owner.decide(service, (chat, now) => turnStarted(chat, { turnId, generation }, now));
  if (isRefusal(started) || !started.isLive) return;
  const clarificationData = { questions: questionsOf(clarity) };
  context.chat.conversation.putBlock(turnId, 0, { type: "clarification", clarificationData }, Date.now());
  context.decide(service, (state, now) => noteOpening(state, { turnId, order, outcome }, now));
  context.chat.owner.endTurn(turnId, { status: "awaiting_response" });
}

function givenUp(title: string): WaitingPullRequest {
  return {
    note: `[The pull request "${title}" waited for this answer. The user does not want it opened, so nothing is done; tell them so in one short sentence, and do what else their message says.]`,
    isOpen: false,
  };
}

function finished(url: string): WaitingPullRequest {
  return {
    note: `[The pull request that waited for this answer is open: ${url}. There is nothing left to do about it; tell the user so in one short sentence, and do what else their message says.]`,
    isOpen: false,
  };
}

function waiting(wish: NewPullRequest, trouble: string | null): WaitingPullRequest {
  const tried = trouble === null ? "" : ` The service tried to go on with the answer and could not: ${trouble}`;
  const questions = questionsOf(wish).map(({ question }) => question);
  return {
    note:
      `[The pull request "${wish.title}" waits for the user's answer to: ${questions.join(" ")}${tried} If the message below answers that, call ` +
      "open_pull_request with its title and body again, the people that the user means as `reviewers`, with a name that they leave open as it was " +
      "written, and the branch that they chose as `base`; what they leave open is asked again. If it is about something else, leave the pull " +
      "request and do what it says.]",
    isOpen: true,
  };
}

async function carryOut({ env, store }: SessionContext, order: OpenPrOrder): Promise<Done> {
  const { session } = store.find() ?? {};
  const project = session && (await findProject(env.DB, session.projectId));
  if (!session || !project || session.branch === null) return { is: "refused", reason: noSession.message };
  const { branch, targetBranch } = session;
  return await openPullRequest(codeHost(env), { repository: project.repository, branch, targetBranch }, order);
}

function answerOf(order: OpenPrOrder, outcome: Done): ToolAnswer | Refusal {
  switch (outcome.is) {
    case "refused":
      return refuse("BAD_REQUEST", outcome.reason);
    case "unclear":
      return {
        text: "The user is asked; their next message is the answer. Stop here.",
        questions: questionsOf(outcome.clarity),
      };
    case "opened": {
      const kind = order.isDraft ? "a draft" : "ready for review";
      const told = `Pull request ${outcome.number} is ${order.number === null ? "open" : "up to date"}, ${kind}: ${outcome.url}`;
      return { text: outcome.warning === undefined ? told : `${told}\n${outcome.warning}`, questions: null };
    }
  }
}
