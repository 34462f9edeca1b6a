// The turns of a Deploy's agent: how they start with the messages that wait for it.
import type { Author } from "../../access/rules/actor.ts";
import { createTextMessage } from "../../chat/rules/message.ts";
import { isUnfinished, startTurn } from "../../chat/rules/turn.ts";
import { type ProjectState, type Step, startPhase, toProjectEffect } from "./project-state.ts";

/** The author of a turn of a Recovery Deploy. */
const serviceAuthor: Author = { kind: "service" };

/**
 * Starts a turn of the agent with the waiting messages. The first message starts the turn, and the
 * others join it in order. While an older turn is still being stopped, the turn starts when that
 * one has ended.
 */
export function startAgentTurn(state: ProjectState, { turnId }: { turnId: string }, now: number): Step {
  const { deploy, chat, instructions } = state;
  if (deploy === null || isUnfinished(chat.turn)) return { state, effects: [] };
  const [first, ...others] = instructions;
  const author = first?.author ?? deploy.startedBy ?? serviceAuthor;
  const started = startTurn(
    chat,
    { turnId, messageId: first?.id ?? turnId, body: first ?? createTextMessage(""), author, model: null },
    now,
  );
  // A turn can start without a message: the agent receives its task anyway.
  const newMessages = first === undefined ? chat.newMessages : started.state.newMessages;
  const joined = others.map(({ id, content, attachments, context, author: by }) => ({
    ...{ id, content, attachments, context, author: by },
    ...{ turnId, delivery: "steer" as const, createdAt: now },
  }));
  return {
    state: {
      ...state,
      instructions: [],
      turnDeployId: deploy.id,
      deploy: { ...deploy, hasAgentRun: deploy.hasAgentRun || !deploy.isUpdate },
      chat: { ...started.state, newMessages: [...newMessages, ...joined] },
    },
    effects: started.effects.map(toProjectEffect),
  };
}

/**
 * Enters the agent's phase and starts its turn. `model` is null if no model can run; the turn then
 * reports that.
 */
export function startAgentPhase(
  state: ProjectState,
  { turnId, model }: { turnId: string; model: string | null },
  now: number,
): Step {
  const entered = startPhase(state, state.deploy?.isUpdate ? "updating" : "running_agent", now);
  const prepared = { ...entered.state, chat: { ...entered.state.chat, model } };
  const started = startAgentTurn(prepared, { turnId }, now);
  return { state: started.state, effects: [...entered.effects, ...started.effects] };
}
