// Compacting: the agent of a session summarizes its conversation, so that it can go on in less of the model's window.

import type { Env } from "../../src/env.ts";
import { turnModel } from "../../src/models/turn-model.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { sessionSandboxOwner } from "../../src/rules/sandbox/owner.ts";
import { sessionAgentProfile } from "../../src/rules/session/agent-profile.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { sandboxObject } from "../address.ts";

/** Runs the session's command. Answers null when it is done, else why it could not be; throws when it should be tried again. */
export async function compactConversation(env: Env, { session, chat }: SessionState): Promise<string | null> {
  const { command } = session;
  // A session that has run no turn has nothing to summarize.
  if (command === null || chat.model === null) return null;
  const model = turnModel(chat.model);
  if (model === null) return `The model ${chat.model} is no longer in the catalog.`;
  const sandboxOwner = sessionSandboxOwner(session);
  if (sandboxOwner === null) return "The session has no sandbox: it is in the Backlog or has ended.";
  const outcome = await sandboxObject(env, session.sandboxKey).compact({
    owner: { type: "session", id: session.id },
    sandboxOwner,
    commandId: command.id,
    model,
    conversationId: chat.conversationId,
    profile: sessionAgentProfile(session, []),
    focus: command.instructions ?? "",
  });
  return isRefusal(outcome) ? outcome.message : null;
}
