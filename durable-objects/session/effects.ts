// Performs the effects of a session object, and handles its reminders.

import { service } from "../../src/access/rules/actor.ts";
import { findChosenOptions, mayAnswer } from "../../src/chat/rules/clarification.ts";
import { isRemembered, isUnfinished, type Turn } from "../../src/chat/rules/turn.ts";
import { recordPayer } from "../../src/chat/rules/turn-payer.ts";
import { formatReviewFeedback } from "../../src/checkout/rules/review-comment.ts";
import { revokeAgentTokens, revokeSessionTokens } from "../../src/key/queries/keys.ts";
import { notifyPeople } from "../../src/notification/notify.ts";
import { decided } from "../../src/rules/decision.ts";
import type { Reminder, SessionEffect, SessionReminder } from "../../src/rules/effect.ts";
import { indexedMessagesPerTurn } from "../../src/rules/limits.ts";
import { deleteSessionRows, indexSession, indexTurn, writeMetadataRows } from "../../src/session/queries/index.ts";
import { type IndexedMessage, saveMessageTexts } from "../../src/session/queries/message-texts.ts";
import { deleteTurnRows } from "../../src/session/queries/restores.ts";
import { checkAutomaticTurn } from "../../src/session/rules/automatic.ts";
import { hasFinalAnswer } from "../../src/session/rules/message-search.ts";
import { recordCommandEnd } from "../../src/session/rules/runtime-command.ts";
import type { Session } from "../../src/session/rules/session.ts";
import { toListed, toSummary } from "../../src/session/rules/summary.ts";
import { deleteAttachments, deleteOwnedObjects } from "../../src/storage/attachments.ts";
import type { UsagePlace } from "../../src/usage/queries.ts";
import { spentCode } from "../../src/usage/rules/spend-limit.ts";
import { recordAndSend } from "../../src/webhook/record.ts";
import { listTurnWebhookEvents } from "../../src/webhook/rules/session-events.ts";
import { getSandboxObject, getWorkspaceEventsObject } from "../address.ts";
import { handleChatReminder, performTurnEffect, type TurnEffect } from "../chat/effects.ts";
import type { SessionContext } from "./context.ts";
import { updateTitle } from "./draft-title.ts";
import { resumePending } from "./pull-request/open.ts";
import { shipOnceChecked } from "./pull-request/ship.ts";
import { compareBranch, endDraft, readChecks, readLastActivity } from "./pull-request/status.ts";
import { compactConversation } from "./runtime-command.ts";
import { notifyPool } from "./spare.ts";
import { startTurn } from "./start-turn.ts";
import { planStatusComments, writeStatusComments } from "./status-comments.ts";
import { findRunningSkill } from "./tools.ts";
import { runReviewTriggers, runTriggers, runTriggersAgain } from "./triggers.ts";
import { endWithPullRequest, releaseSandbox } from "./update.ts";

type Performed = Exclude<SessionEffect, Reminder<SessionReminder>>;
/** The effects that remain after the session is deleted. */
type AfterDeletion = Extract<
  Performed,
  { type: "destroy-sandbox" | "forget-session" | "drop-attachments" | "revoke-agent" | "record-events" | "tell-people" }
>;

const handoverCharacters = 100_000;
const commandOverdue = "The command took too long and was stopped.";

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performSessionEffect(context: SessionContext, effect: Performed): Promise<void> {
  const { env } = context;
  switch (effect.type) {
    case "destroy-sandbox":
      return await getSandboxObject(env, effect.id).destroy();
    case "forget-session":
      await deleteSessionRows(env.DB, effect.sessionId);
      await revokeSessionTokens(env.DB, effect.sessionId);
      await deleteOwnedObjects(env, { type: "session", id: effect.sessionId });
      return await publishDeleted(env, effect);
    case "drop-attachments":
      return await deleteAttachments(env, { type: "session", id: effect.sessionId }, effect.attachmentIds);
    case "revoke-agent":
      return await revokeAgentTokens(env.DB, effect.id);
    case "record-events":
      return await recordAndSend(env, effect, context.sendToWebhooks);
    case "tell-people":
      return await notifyPeople(env, { ...effect.notice, followers: context.chat.subscribers.listFollowers() });
    default:
      return await performInSession(context, effect);
  }
}

async function performInSession(context: SessionContext, effect: Exclude<Performed, AfterDeletion>): Promise<void> {
  const { env, store } = context;
  const state = store.find();
  if (!state) return;
  const { session } = state;
  switch (effect.type) {
    case "index-session":
      await indexSession(env.DB, state);
      return await publishSession(context, session.workspaceId);
    case "index-turn":
      await Promise.all([performTurn(context, session, effect), sendTurnEvents(context, session, effect.id)]);
      return;
    case "index-messages":
      return await indexMessages(context, session, effect.id);
    case "index-history":
      return await indexHistory(context, session, effect.id);
    case "index-metadata":
      return await writeMetadataRows(env.DB, state);
    case "compact":
      return session.command?.id === effect.id ? await compact(context, effect.id) : undefined;
    case "follow-pull-request":
      return await endWithPullRequest(context);
    case "ship":
      return await shipOnceChecked(context);
    case "read-checks":
      return await readChecks(context);
    case "run-triggers":
      return await runTriggers(context, effect.id);
    case "retry-triggers":
      return await runTriggersAgain(context, effect.id);
    case "run-review-triggers":
      return await runReviewTriggers(context, effect.review);
    case "answer-places":
      return await writeStatusComments(context);
    case "mark-ready":
      return await endDraft(context);
    case "compare-branch":
      return await compareBranch(context);
    case "draft-title":
      return await updateTitle(context, effect.id);
    case "stop-sandbox":
      return await releaseSandbox(context);
    default:
      return await performTurn(context, session, effect);
  }
}

async function performTurn(context: SessionContext, session: Session, effect: TurnEffect): Promise<void> {
  const { env, chat } = context;
  await performTurnEffect(
    {
      ...{ env, chat, turnOwner: { type: "session", id: session.id } },
      usagePlace: (workId) => getUsagePlace(context, session, workId),
      start: (turn) => start(context, turn),
      findTurnSandbox: () => getSandboxObject(env, session.sandboxKey),
    },
    effect,
  );
}

/** Sends the events of a turn to webhooks, each once unless this object lost its memory. */
async function sendTurnEvents(context: SessionContext, session: Session, turnId: string) {
  const { env, chat, sentOfTurns, sendToWebhooks } = context;
  const turn = chat.store.turn(turnId);
  if (!turn || sentOfTurns.get(turnId) === toSent(turn)) return;
  await sendToWebhooks(session.workspaceId, (withText) => {
    const isOver = withText && !isUnfinished(turn);
    const [question] = isOver ? chat.conversation.listQuestions(turnId) : [];
    const text = { question: question?.question ?? null, answer: isOver ? chat.conversation.readReply(turnId) : null };
    return listTurnWebhookEvents(session, turn, { publicUrl: env.PUBLIC_URL, text });
  });
  sentOfTurns.clear();
  sentOfTurns.set(turnId, toSent(turn));
}

/** A turn that runs has no further event until it ends. */
const toSent = (turn: Turn) => (isUnfinished(turn) ? "started" : turn.status);

/** Writes the texts of a turn's messages, in the same round trip as the session's row. */
async function indexMessages(context: SessionContext, session: Session, turnId: string): Promise<void> {
  const indexing = context.shell.settled({ type: "index-session" });
  const save = () => saveMessageTexts(context.env.DB, session, listIndexedMessages(context, turnId));
  const isListed = await save();
  if (isListed || indexing === null) return;
  // The row of a new session was written later, so that the session counted as deleted.
  await indexing;
  await save();
}

/** The turns whose rows one effect writes. */
const turnsPerPage = 40;

/** Writes the rows of a restored session's turns, a page from a number on. Sends no events. */
async function indexHistory(context: SessionContext, session: Session, from: number): Promise<void> {
  const { env, chat, shell, decide } = context;
  await shell.settled({ type: "index-session" });
  if (from === 1) await deleteTurnRows(env.DB, session.id);
  const numbers = Array.from({ length: turnsPerPage }, (_, place) => from + place);
  const turns = numbers.flatMap((number) => chat.store.turnNumbered(number) ?? []);
  const owner = { type: "session", id: session.id } as const;
  await Promise.all(turns.map((turn) => indexTurn(env.DB, owner, turn)));
  await saveMessageTexts(
    env.DB,
    session,
    turns.flatMap(({ id }) => listIndexedMessages(context, id)),
  );
  const next = from + turnsPerPage;
  if (turns.length === turnsPerPage)
    decide(service, (state) => decided(state, null, [{ type: "index-history", id: next }]));
}

/** The user messages of a turn, and its final answer once it has ended. */
function listIndexedMessages({ chat }: SessionContext, turnId: string): IndexedMessage[] {
  const said = chat.conversation.listMessages(turnId).slice(0, indexedMessagesPerTurn);
  const answer = hasFinalAnswer(chat.store.turn(turnId)) ? chat.conversation.findFinalAnswer(turnId) : null;
  return [
    ...said.map(({ id, content, createdAt }) => ({ messageId: id, role: "user" as const, text: content, createdAt })),
    ...(answer ? [{ ...answer, role: "assistant" as const }] : []),
  ].flatMap((message) => (message.text.trim() === "" ? [] : [{ ...message, jobId: turnId }]));
}

/** Where the usage of a turn or of other session work is counted. */
function getUsagePlace(
  { chat }: SessionContext,
  { id, workspaceId, projectId, filedBy }: Session,
  workId: string,
): UsagePlace {
  const sender = chat.store.turn(workId)?.sender;
  const [call] = chat.store.calls.of(workId);
  return {
    workspaceId,
    projectId,
    owner: { type: "session", id },
    memberId: sender?.kind === "member" ? sender.userId : (call?.memberId ?? null),
    cronId: filedBy?.kind === "cron" ? filedBy.cronId : null,
    triggerId: filedBy?.kind === "trigger" ? filedBy.triggerId : null,
  };
}

/**
 * Sends the workspace's listeners the session as lists show it now, unless it was deleted
 * meanwhile.
 */
async function publishSession({ env, store }: SessionContext, workspaceId: string): Promise<void> {
  const state = store.find();
  if (!state) return;
  await getWorkspaceEventsObject(env, workspaceId).publish([
    { type: "session-changed", summary: toListed(toSummary(state)) },
  ]);
}

/** Reports the deletion of a session. */
async function publishDeleted(
  env: SessionContext["env"],
  { sessionId, workspaceId, projectId }: Extract<Performed, { type: "forget-session" }>,
): Promise<void> {
  await getWorkspaceEventsObject(env, workspaceId).publish([{ type: "session-deleted", sessionId, projectId }]);
}

async function start(context: SessionContext, turn: Turn): Promise<void> {
  const { env, store } = context;
  const { conversation, transcript, store: turns, owner, logins } = context.chat;
  const message = conversation.getFirstMessage(turn.id);
  const waiting = await resumePending(context, turn);
  const state = store.find();
  if (!state || waiting === "asked-again") return;
  const { session, chat } = state;
  const overspent = checkAutomaticTurn(session, turn);
  if (overspent) return owner.endTurn(turn.id, { status: "failed", error: overspent.message, errorCode: spentCode });
  const before = turns.turnNumbered(turn.number - 1);
  const previous = isRemembered(before, chat.clearedAt) ? before : null;
  const failure = await startTurn(env, {
    session,
    turn,
    message,
    logins,
    answers: mayAnswer(message, previous) ? findChosenOptions(conversation.listQuestions(previous.id), message) : null,
    skill: findRunningSkill(context, turn),
    feedback: formatReviewFeedback(context.reviewComments.unresolved(message.context.reviewCommentIds)),
    previous,
    waiting,
    settlePayer: (payer) => void owner.decide(service, (current) => recordPayer(current, { turnId: turn.id, payer })),
    spentNanoUsd: turns.calls.spentNanoUsd,
    isNewConversation: !turns.hasStartedConversation(turn),
    earlierConversation: () => transcript.textBefore(turn.id, handoverCharacters, chat.clearedAt),
  });
  // If the turn ended meanwhile, its tokens may have been revoked before this token was issued.
  if (!isUnfinished(turns.turn(turn.id))) await revokeAgentTokens(env.DB, turn.id);
  if (failure) owner.endTurn(turn.id, { status: "failed", ...failure });
  else if (turn.number === 1) await notifyPool(env, session.projectId, "sessionStarted");
}

async function compact({ env, store, decide }: SessionContext, commandId: string): Promise<void> {
  const state = store.find();
  if (!state) return;
  const error = await compactConversation(env, state);
  decide(service, (state, now) => recordCommandEnd(state, { commandId, error }, now));
}

/** Handles a reminder that is due. */
export async function handleSessionReminder(context: SessionContext, name: SessionReminder): Promise<void> {
  const { env, store, chat, decide } = context;
  if (name === "forget-answers") return context.results.sweep(Date.now());
  const { session } = store.find() ?? {};
  if (!session) return;
  if (name === "answer-places") return planStatusComments(context);
  if (name === "pull-request-stale") return await readLastActivity(context);
  if (name !== "command-overdue")
    return await handleChatReminder(chat, getSandboxObject(env, session.sandboxKey), name);
  const commandId = session.command?.id ?? "";
  decide(service, (state, now) => recordCommandEnd(state, { commandId, error: commandOverdue }, now));
}
