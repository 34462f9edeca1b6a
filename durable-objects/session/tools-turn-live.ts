// Whether the agent of a turn or of a command may still call a model or push.

import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { type CallFailure, turnOver } from "../../src/model-gateway/rules/failure.ts";
import type { Payer } from "../../src/provider-login/rules/payer.ts";
import { isCommandRunning } from "../../src/session/rules/runtime-command.ts";
import { noSpend, spentCode, spentReason } from "../../src/usage/rules/spend-limit.ts";
import { isTurnLive as isTurnOfChatLive } from "../chat/effects.ts";
import { openCall as openCounted } from "../chat/model-calls.ts";
import type { CallPayer, CallRefused, OpenCall } from "../chat/rpc.ts";
import type { SessionContext } from "./context.ts";

export function isTurnLive({ store, chat }: Pick<SessionContext, "store" | "chat">, claim: TurnLinkClaim): boolean {
  const { session } = store.find() ?? {};
  return session?.command?.id === claim.turnId ? isCommandRunning(session) : isTurnOfChatLive(chat, claim);
}

/** Opens a model call. Refuses that of a turn or command that is over, and one on the workspace's money once the session's limit is reached. */
export function openCall(
  context: Pick<SessionContext, "store" | "chat" | "shell">,
  claim: TurnLinkClaim,
  at: CallPayer,
): OpenCall | CallRefused {
  context.chat.counts.flush();
  const failure = isTurnLive(context, claim) ? failureOfSpend(context, at.payer) : turnOver;
  return failure === null ? openCounted(context, claim.turnId, at) : { type: "refused", ...failure };
}

function failureOfSpend(context: Pick<SessionContext, "store" | "chat">, payer: Payer): CallFailure | null {
  const limitUsd = context.store.find()?.session.spendLimitUsd ?? null;
  if (limitUsd === null || payer.type === "member") return null;
  const session = { limitUsd, spentNanoUsd: context.chat.store.calls.spentNanoUsd() };
  const reason = spentReason({ workspace: noSpend, session });
  return reason === null ? null : { code: spentCode, message: reason };
}
