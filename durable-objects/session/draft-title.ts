// Drafts the title of a session that was started without one: asks the cheapest model that the
// workspace pays for, once.
import { findFacts } from "../../src/access/queries.ts";
import { service } from "../../src/access/rules/actor.ts";
import { createId } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { catalog } from "../../src/model/catalog.ts";
import { toTurnModel } from "../../src/model/turn-model.ts";
import { askModel } from "../../src/model-gateway/ask-model.ts";
import { workspacePays } from "../../src/provider-login/rules/payer.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import {
  applyGeneratedTitle,
  findCheapestModel,
  findTitle,
  hasReplaceableTitle,
  titleInstructions,
  toTitleMaterial,
} from "../../src/session/rules/generated-title.ts";
import { countCall } from "../chat/model-calls.ts";
import type { SessionContext } from "./context.ts";
import { checkSpend } from "./tools.ts";

/** With room for a model that thinks before it answers. */
const outputTokensMax = 2_000;
const waitMs = 30_000;

/** Gives the session a title from the message that started this turn. It fails silently. */
export async function updateTitle(context: SessionContext, turnId: string): Promise<void> {
  try {
    // The start of the turn comes first.
    await context.shell.settled({ type: "start-turn", id: turnId });
    const reason = await draft(context, turnId);
    if (reason !== null) log.info("session_title.not_drafted", { turnId, reason });
  } catch (error) {
    log.info("session_title.not_drafted", { turnId, error });
  }
}

/** Returns why there is no title; null if there is one, or none is needed any longer. */
async function draft(context: SessionContext, turnId: string): Promise<string | null> {
  const { env, store, chat, decide } = context;
  const { session } = store.find() ?? {};
  if (!session || !hasReplaceableTitle(session)) return null;
  const text = toTitleMaterial(chat.conversation.getFirstMessage(turnId).content);
  if (text === null) return "The message has no words.";
  const spent = checkSpend(context, workspacePays);
  if (spent) return spent.message;
  const { workspaceId } = session;
  const found = await findFacts(env.DB, { noun: "workspace", params: { workspaceId } });
  if (!found?.workspace.generatedTitles) return "The workspace has turned it off.";
  if (found.workspace.suspendedAt !== null) return "The workspace is suspended.";
  const modelId = findCheapestModel(catalog, found.workspace.providers);
  const model = modelId === null ? null : toTurnModel(modelId);
  if (model === null) return "The workspace has no working credential.";
  const question = { model, instructions: titleInstructions, text, outputTokensMax, waitMs };
  const answer = await askModel(env, { workspaceId, payer: workspacePays, ...question });
  if (isRefusal(answer)) return answer.message;
  // The title is shown even if the count of its call fails.
  const title = findTitle(answer.text);
  if (title !== null) decide(service, (state, now) => applyGeneratedTitle(state, title, now));
  if (answer.tokens) {
    const id = createId();
    const sender = chat.store.turn(turnId)?.sender;
    const memberId = sender?.kind === "member" ? sender.userId : null;
    await countCall(context, { id, workId: id, payer: workspacePays, model: modelId, memberId, tokens: answer.tokens });
  }
  return title === null ? "The model did not write a title." : null;
}
