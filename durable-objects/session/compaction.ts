// Compacting: the agent of a session summarizes its conversation, so that it can go on in less of the model's window.

import { sessionSandboxOwner } from "../../src/actions/sandbox/owner.ts";
import type { Env } from "../../src/env.ts";
import { turnModel } from "../../src/models/turn-model.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { sandboxObject } from "../address.ts";
import { agentInstructions } from "./agent-instructions.ts";

/** Runs the session's command. Answers null when it is done, else why it could not be; throws when it should be tried again. */
export async function compactConversation(env: Env, { session, chat }: SessionState): Promise<string | null> {
  const { command } = session;
  // A session that has run no turn has nothing to summarize.
  if (command === null || chat.model === null) return null;
  const model = turnModel(chat.model);
  if (model === null) return `The model ${chat.model} is no longer in the catalog.`;
  const outcome = await sandboxObject(env, session.sandboxKey).compact({
    owner: sessionSandboxOwner(session),
    commandId: command.id,
    model,
    conversationId: chat.conversationId,
    instructions: agentInstructions(session),
    focus: command.instructions ?? "",
  });
  return isRefusal(outcome) ? outcome.message : null;
}
