// Starts a turn: wakes the session's sandbox and hands it the turn, or returns why that is not
// possible.

import { suspendedWorkspace } from "../../src/access/rules/suspension.ts";
import type { ChosenOption, SaidMessage } from "../../src/chat/rules/message.ts";
import { createTurnPrompt } from "../../src/chat/rules/prompt.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { Env } from "../../src/env.ts";
import { issueAgentTokenAndAsk } from "../../src/key/queries/keys.ts";
import type { ProviderId } from "../../src/model/rules/provider.ts";
import { toTurnModel } from "../../src/model/turn-model.ts";
import type { EnabledPlugin } from "../../src/plugin/queries/plugins.ts";
import { findSubscriberOfTurn, type Payer, toPayer } from "../../src/provider-login/rules/payer.ts";
import { longestTurnMs } from "../../src/rules/limits.ts";
import { findSessionSandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { RequestedPlugin, TurnRequest } from "../../src/sandbox/turn-request.ts";
import { createSessionAgentProfile } from "../../src/session/rules/agent-profile.ts";
import type { Session } from "../../src/session/rules/session.ts";
import type { BuiltInSkill } from "../../src/skill/rules/built-in-skills.ts";
import { getSavedSkillSource, listSkillsByPrecedence } from "../../src/skill/rules/precedence.ts";
import { findCalledSkill, findUncountedCallNote } from "../../src/skill/rules/skill-call.ts";
import { findSpentReason, spentCode } from "../../src/usage/rules/spend-limit.ts";
import { getSandboxObject } from "../address.ts";
import type { LoginCache } from "../chat/model-calls.ts";
import { signAttachedFiles } from "../chat/steer-command.ts";
import { listTurnTools } from "./tools.ts";

export interface StartTurnCommand {
  session: Session;
  turn: Turn;
  /** The message that started the turn. */
  message: SaidMessage;
  /** The built-in skill of the turn. */
  skill: BuiltInSkill | null;
  /** The text of the open review comments that are sent with the message; empty for none. */
  feedback: string;
  /**
   * The options that the message chose for the previous turn's questions; null if it answers none.
   */
  answers: ChosenOption[] | null;
  /** The previous turn, if there was one. */
  previous: Turn | null;
  /** True if the agent does not have this conversation yet. */
  isNewConversation: boolean;
  /** What the agent reads about a pending pull request; null without one. */
  waiting: { note: string; isOpen: boolean } | null;
  /** Stores who pays for the turn. */
  settlePayer(payer: Payer): void;
  /** Caches the workspace's logins that are read with the turn's token. */
  logins: Pick<LoginCache, "keeper">;
  /** What the session's turns have cost the workspace. */
  spentNanoUsd(): number;
  /** The earlier conversation as text. Called only if the agent starts without its own. */
  earlierConversation(): string | null;
}

/** Why a turn could not start. */
export interface StartFailure {
  error: string;
  errorCode: string | null;
}

/**
 * Hands a turn to its sandbox. Returns null if the sandbox has it, otherwise the reason. Throws if
 * the attempt must be repeated.
 */
export async function startTurn(env: Env, command: StartTurnCommand): Promise<StartFailure | null> {
  const {
    session,
    turn,
    message,
    skill,
    answers,
    feedback,
    previous,
    isNewConversation,
    waiting,
    settlePayer,
    logins,
    spentNanoUsd,
    earlierConversation,
  } = command;
  if (turn.model === null) {
    return failed("No model provider is connected. A workspace owner or admin can add an API key.", "no_credentials");
  }
  const model = toTurnModel(turn.model);
  if (model === null)
    return failed(`The model ${turn.model} is no longer in the catalog. Choose another one from GET /api/models.`);
  const handover = turn.isHandover ? earlierConversation() : null;
  const owner = findSessionSandboxOwner(session);
  if (owner === null) return failed("The session has no sandbox: it is in the Backlog or has ended.");
  const sandboxOwner = { ...owner, isNew: session.targetCommit === null };
  const cacheLogins = logins.keeper({ workId: turn.id, provider: model.provider });
  const prepared = await prepareTurn(env, session, turn, model.provider);
  const { token, holdsLogin, plugins, skills, spend, replyStyle, isSuspended } = prepared;
  // Up next would otherwise start the next turn in a sandbox that still runs.
  if (isSuspended) return failed(suspendedWorkspace.message);
  const payer = turn.payer ?? toPayer(findSubscriberOfTurn(session, turn.sender), holdsLogin);
  // The first model call would otherwise read them once more, before the model begins.
  if (payer.type === "workspace") cacheLogins(prepared.workspaceLogins);
  const spends = { workspace: spend, session: { limitUsd: session.spendLimitUsd, spentNanoUsd: spentNanoUsd() } };
  // If this is a repeated start, the turn may have spent something already.
  const spent = turn.payer === null && payer.type === "workspace" ? findSpentReason(spends) : null;
  if (spent !== null) {
    settlePayer(payer);
    return { error: spent, errorCode: spentCode };
  }
  const request: TurnRequest = {
    owner: { type: "session", id: session.id },
    sandboxOwner,
    turnId: turn.id,
    model,
    payer,
    prompt: [waiting?.note, findUncountedCallNote(message, turn.model), createTurnPrompt(message, feedback, previous)]
      .filter((part) => typeof part === "string")
      .join("\n\n"),
    skill: findCalledSkill(message, turn.model),
    plugins: plugins.flatMap(requestedPlugin),
    skills: listSkillsByPrecedence(
      skills.map((skill) => ({ ...skill, source: getSavedSkillSource(skill.ownerType) })),
    ).map(({ name, hash, bodyKey }) => ({ name, hash, bodyKey })),
    answers,
    profile: createSessionAgentProfile(
      session,
      listTurnTools({ message, turn, skill, isPending: waiting?.isOpen === true }),
      replyStyle,
      turn.resultSchema,
    ),
    attachments: signAttachedFiles(env, message.attachments),
    agentToken: token,
    conversation: { id: turn.conversationId, isNew: isNewConversation, handover },
  };
  const sandbox = getSandboxObject(env, session.sandboxKey);
  const handedOver = sandbox.startTurn(request);
  // Called after the call has been sent, so that the call need not wait until this is stored. The
  // program does wait: its object first asks whether the turn is live, and the platform holds that
  // response until this is stored.
  settlePayer(payer);
  let outcome = await handedOver;
  if (!outcome.taken && outcome.conversationMissing) {
    const conversation = { ...request.conversation, isNew: true, handover: earlierConversation() };
    outcome = await sandbox.startTurn({ ...request, conversation });
  }
  if (outcome.taken) return null;
  return failed(outcome.conversationMissing ? "The agent's conversation could not be restored." : outcome.error);
}

function failed(error: string, errorCode: string | null = null): StartFailure {
  return { error, errorCode };
}

/**
 * Issues the agent's token, and reads who pays and which saved skills the session has. The agent
 * acts as the Assignee if the Assignee sent the turn, and otherwise for no member (Part 1,
 * "Authentication"). The skills are always the Assignee's.
 */
async function prepareTurn(env: Env, session: Session, { sender, id: turnId, payer }: Turn, provider: ProviderId) {
  const { workspaceId, id: sessionId, assignee } = session;
  const isFromAssignee = sender.kind === "member" && assignee?.kind === "member" && assignee.userId === sender.userId;
  const userId = isFromAssignee ? sender.userId : null;
  const now = Date.now();
  const grant = { workspaceId, sessionId, turnId, userId, expiresAt: now + longestTurnMs };
  const subscriber = payer === null ? findSubscriberOfTurn(session, sender) : null;
  const assigneeId = assignee?.kind === "member" ? assignee.userId : null;
  const readerId = sender.kind === "member" ? sender.userId : assigneeId;
  return await issueAgentTokenAndAsk(env.DB, grant, { subscriber, provider, assigneeId, readerId }, now);
}

function requestedPlugin({ id, name, hash, bodyKey, userId, failedAt }: EnabledPlugin): RequestedPlugin[] {
  return hash === null || bodyKey === null ? [] : [{ id, name, hash, bodyKey, userId, hasFailed: failedAt !== null }];
}
