// Starting a turn: a session's sandbox is woken and takes the turn, or a sentence says why it could not.
import { sandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { turnModel } from "../models/turn-model.ts";
import type { SandboxOwner } from "../rules/sandbox.ts";
import type { Session } from "../rules/session.ts";
import type { Turn } from "../rules/turn.ts";
import type { TurnOrder } from "../sandbox/turn-order.ts";

export interface StartTurnCommand {
  session: Session;
  turn: Turn;
  /** The message that started the turn. */
  content: string;
  /** The turn before, if there was one. */
  previous: Turn | null;
  /** What was said before this turn, as text; asked for only when the agent's own conversation is gone. */
  retell(): string | null;
}

/** Hands a turn to its sandbox. Answers null when the sandbox has it, else why it cannot; throws when it should be tried again. */
export async function startTurn(env: Env, command: StartTurnCommand): Promise<string | null> {
  const { session, turn } = command;
  if (turn.model === null) {
    return "No model provider is connected. A workspace owner or admin can add an API key under the workspace's credentials.";
  }
  const model = turnModel(turn.model);
  if (model === null)
    return `The model ${turn.model} is no longer in the catalog. Choose another one from GET /api/models.`;
  const order: TurnOrder = {
    owner: sandboxOwner(session),
    turnId: turn.id,
    model,
    prompt: promptOf(command),
    attachments: [],
    agentToken: "",
    conversation: { id: session.conversationId, isNew: turn.number === 1, handover: null },
    instructions: instructionsFor(session),
  };
  const sandbox = sandboxObject(env, session.sandboxKey);
  let outcome = await sandbox.startTurn(order);
  if (!outcome.taken && outcome.conversationMissing) {
    const conversation = { ...order.conversation, isNew: true, handover: command.retell() };
    outcome = await sandbox.startTurn({ ...order, conversation });
  }
  if (outcome.taken) return null;
  return outcome.conversationMissing ? "The agent's conversation could not be restored." : outcome.error;
}

/** What a session's sandbox belongs to. */
function sandboxOwner(session: Session): SandboxOwner {
  const { workspaceId, projectId, id: sessionId, branch, targetBranch: baseBranch } = session;
  return { workspaceId, projectId, sessionId, branch: branch ?? baseBranch, baseBranch };
}

/** The message as the agent gets it: an agent that was cut off is told so, or it would take up what it was doing. */
function promptOf({ content, previous }: StartTurnCommand): string {
  switch (previous?.status) {
    case "cancelled":
      return `[The turn before was stopped by a member.]\n\n${content}`;
    case "failed":
      return `[The turn before failed: ${previous.error}]\n\n${content}`;
    default:
      return content;
  }
}

function instructionsFor(session: Session): string {
  return [
    `You work in Switchyard, in the chat session "${session.title}", on the branch ${session.branch ?? session.targetBranch} of a checkout that is yours alone.`,
    `The branch is meant to be merged into ${session.targetBranch}. Commit or push only when you are asked to.`,
    "Use the plan tool for work of several steps. When you cannot go on without a decision of the user, use the ask tool; it ends your turn.",
  ].join("\n");
}
