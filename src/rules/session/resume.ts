// Resuming a session's Up next, as far as the session can take the turn that this starts.
import { startsTurn } from "../chat/turn.ts";
import { resumeUpNext as resumeChat } from "../chat/up-next.ts";
import type { Decision } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { refuse } from "../refusal.ts";
import { ofChat } from "./chat.ts";
import { checkNoCommand } from "./runtime-command.ts";
import { checkSandbox, type SandboxFacts } from "./sandbox-need.ts";
import type { SessionState } from "./session.ts";

/** Resumes a paused Up next; its top message is sent when nothing runs. */
export function resumeUpNext(
  state: SessionState,
  command: { turnId: string; modelIfNone?: string | null },
  facts: SandboxFacts,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  if (state.session.status !== "active") {
    return refuse("BAD_REQUEST", "Up next can be resumed only while the session is Active.");
  }
  const busy = checkNoCommand(state.session);
  if (busy) return busy;
  const resumed = resumeChat(state.chat, command, now);
  const isStart = startsTurn(state.chat, resumed.state);
  if (isStart && facts.isBlockedOnBilling) return refuse("CREDIT_LIMIT_REACHED");
  // A sandbox that starts is waited for: the message was accepted long ago, so nobody has to come again for it.
  const need = isStart && facts.sandbox !== "starting" ? checkSandbox(facts) : null;
  return need ?? ofChat(state, resumed, now);
}
