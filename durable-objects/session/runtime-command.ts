// Runtime commands of a session. `clear` is only a decision. `compact` has the sandbox summarize
// the agent's conversation, so that it takes less of the model's context window.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import { toTurnModel } from "../../src/model/turn-model.ts";
import { getPayer } from "../../src/model-gateway/payer.ts";
import { findSubscriber } from "../../src/provider-login/rules/payer.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { findSessionSandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { createSessionAgentProfile } from "../../src/session/rules/agent-profile.ts";
import { type CommandRequest, runCommand } from "../../src/session/rules/runtime-command.ts";
import { checkNotItself } from "../../src/session/rules/send.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { getSandboxObject } from "../address.ts";
import type { SessionContext } from "./context.ts";

/** Starts a runtime command. */
export function runAgentCommand(
  context: SessionContext,
  { by, ...command }: CommandRequest & { by: Actor },
  repeat: Idempotency | null,
) {
  const id = createId();
  return (
    context.checkIdle() ??
    context.decideOnce(
      by,
      repeat,
      (state, now) => checkNotItself(state.session, by) ?? runCommand(state, { id, ...command }, now),
    )
  );
}

/**
 * Compacts the conversation. Returns null when done, or why it cannot be done. Throws if the
 * attempt must be repeated.
 */
export async function compactConversation(env: Env, { session, chat }: SessionState): Promise<string | null> {
  const { command } = session;
  // Without a model no turn has run, so nothing needs a summary.
  if (command === null || chat.model === null) return null;
  const model = toTurnModel(chat.model);
  if (model === null) return `The model ${chat.model} is no longer in the catalog.`;
  const sandboxOwner = findSessionSandboxOwner(session);
  if (sandboxOwner === null) return "The session has no sandbox: it is in the Backlog or has ended.";
  const { workspaceId } = session;
  const payer = await getPayer(env, {
    workspaceId,
    subscriber: findSubscriber(session, null),
    provider: model.provider,
  });
  const outcome = await getSandboxObject(env, session.sandboxKey).compact({
    owner: { type: "session", id: session.id },
    sandboxOwner,
    commandId: command.id,
    model,
    payer,
    conversationId: chat.conversationId,
    profile: createSessionAgentProfile(session, []),
    focus: command.instructions ?? "",
  });
  return isRefusal(outcome) ? outcome.message : null;
}
