// Removes a project from its object: its turn is stopped, and its sandboxes end with all they ever saved.

import { service } from "../../src/access/rules/actor.ts";
import { cancelTurn } from "../../src/rules/chat/stop.ts";
import { isUnfinished, tellUsage } from "../../src/rules/chat/turn.ts";
import { decided } from "../../src/rules/decision.ts";
import type { ProjectEffect } from "../../src/rules/effect.ts";
import { deleteOwnedObjects } from "../../src/storage/attachments.ts";
import { usageTold } from "../chat/model-calls.ts";
import type { ProjectContext } from "./context.ts";
import { endSpares } from "./deploy/spare-pool.ts";

/** Stops what runs and removes all that is stored. Safe to repeat. */
export async function remove({ env, store, chat, shell }: ProjectContext): Promise<void> {
  const state = store.find();
  if (state === null) return;
  const { turn } = state.chat;
  chat.owner.decide(service, tellUsage);
  if (turn !== null) await usageTold({ shell }, turn.id);
  if (isUnfinished(turn)) chat.owner.decide(service, (current, now) => cancelTurn(current, { turnId: turn.id }, now));
  const keys = [state.deploy?.sandboxKey, state.liveSandboxKey, ...state.leaving.map(({ sandboxKey }) => sandboxKey)];
  const effects = [...new Set(keys)].flatMap((sandboxKey): ProjectEffect[] =>
    typeof sandboxKey === "string" ? [{ type: "destroy-sandbox", sandboxKey }] : [],
  );
  await endSpares(env, state.id);
  await deleteOwnedObjects(env, { type: "project", id: state.id });
  shell.decide(() =>
    decided(null, null, [
      ...effects,
      { type: "forget", name: "phase-overdue" },
      { type: "forget", name: "watch-turn" },
      { type: "forget", name: "stop-overdue" },
      { type: "forget", name: "tell-usage" },
      { type: "forget", name: "end-sandboxes" },
      { type: "forget", name: "tend-pool" },
      { type: "forget", name: "follow-target" },
    ]),
  );
}
